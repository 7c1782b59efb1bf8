#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The checker itself: what differs fails and is named, what is malformed fails with its line, and
# nothing makes it crash.
src=${top_srcdir:-.}
golden=${top_builddir:-.}/tests/golden
data=$src/tests/goldencheck/data
: "${PYTHON:=python3}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

verdict() { # status name
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok $n - $2"
	fi
}

# says STATUS TEXT NAME FILE...: the exit status, and a text in the output.
says() {
	status=$1 text=$2 name=$3
	shift 3
	"$golden" "$@" > "$tmp/out" 2>&1
	[ $? -eq "$status" ] && grep -q -e "$text" "$tmp/out"
	verdict $? "$name"
}

# changed STATUS TEXT NAME FILE SED-SCRIPT: the same of a changed copy.
changed() {
	sed "$5" "$4" > "$tmp/changed.txt"
	cmp -s "$4" "$tmp/changed.txt" && echo "# $3: the script changes nothing"
	says "$1" "$2" "$3" --verbose "$tmp/changed.txt"
}

program=$src/tests/model/data/matmul-rk3588/programs/fp16_fp16_8x64x32.txt
chain=$src/tests/model/data/matmul-rk3588/programs/chain_fp16_kacc_3task.txt
plan=$src/tests/matmul/data/fp16_256x2048x512_kaccchain.csv

# What differs.
says 0 ': passed$' "an unchanged program passes" "$program"
says 0 '1 passed, 0 failed, 0 skipped' "the last line counts" "$program"
changed 1 'CNA.CONV_CON2 (1010) = 0x000000a0, here 0x00000090' "a changed value is named" "$program" \
	's/^0201,1010,.*/0201,1010,000000a0/'
changed 1 'line 19: DPU_RDMA.RDMA_S_POINTER (5004) = 0x0000000f, here 0x0000000e' \
	"a changed value has its line" "$program" 's/^2001,5004,0000000e/2001,5004,0000000f/'
changed 1 'CNA.FC_CON0 (1060) is written here only' "a missing write is named" "$program" \
	's/^0201,1060,00000000/0201,1064,00000000/'
changed 1 'CNA.FC_CON1 (1064) is not written here' "a surplus write is named" "$program" \
	's/^0201,1060,00000000/0201,1064,00000000/'
changed 1 'trailer word 3 is 00810000000d0008, here 00810000001d0008' "a changed trailer is named" \
	"$program" 's/^0081,0008,0000001d/0081,0008,0000000d/'
changed 0 ': passed$' "writes of a block may come in any order" "$program" \
	'/^0201,1010/d;s/^0201,1088,\(.*\)/0201,1088,\1\n0201,1010,00000090/'
changed 1 'trailer word 0 is' "a wrong link is named" "$chain" 's/^0101,0010,500003f0/0101,0010,50000400/'
changed 1 '2 programs, the header describes 3 tasks' "a missing task is counted" "$chain" \
	'0,/^0081,/{/^0081,/d};s/^# words=.*//'
changed 1 'line 15: 0,1,.*,512,out0,65536,-,-1, here 0,1,.*,524288,out0,65536,-,-1' \
	"a changed step is named" "$plan" 's/^\(0,1,.*\),524288,/\1,512,/'
changed 1 'here one more step' "a missing step is named" "$plan" '$d'
changed 1 'A_packed byte 0 is ff, here\|lies elsewhere' "a changed packed byte is named" \
	"$data/packing_int8.txt" '/^A_packed/{n;s/^../ff/}'
changed 1 'is not refused here' "a task that is refused elsewhere is named" "$data/programs_INDEX.csv" \
	's/^fp16_fp16_8x64x32,ok/fp16_fp16_8x64x32,refused/'
changed 1 'sum .*, here' "a changed sum is named" \
	"$src/tests/model/data/matmul-rk3588/numerics/integer.txt" '/^int8 /s/| \(-*[0-9]*\)$/| 1\1/'
changed 1 'fp32 ........, here' "a changed fp32 is named" \
	"$src/tests/model/data/matmul-rk3588/numerics/fp16_base_model.txt" 's/^fp32 .*/fp32 12345678/'

# What is malformed.
changed 1 'failed: line 30: "0201,10" is not a word' "a cut-off line has its number" "$program" \
	'30s/.*/0201,10/'
changed 1 '125 words, the header says 126' "a missing word is counted" "$program" '40d'
changed 1 'header without M=' "a missing key is named" "$program" '/^# M=/d'
changed 1 'M is not a number' "a key that is no number is named" "$program" 's/^# M=8/# M=8x/'
changed 1 'failed: no words' "a program without words fails" "$program" '/^[0-9]/d'
changed 1 'line 20: not a row of dtype' "a short row has its number" \
	"$src/tests/matmul/data/planner_vectors.csv" '20s/,.*//'
changed 1 'not the hex bytes of A_rowmajor' "bytes that are not hex fail" "$data/packing_int8.txt" \
	'/^A_rowmajor/{n;s/^../zz/}'
changed 1 'block A_packed expected' "a missing block is named" "$data/packing_int8.txt" \
	's/^A_packed/A_package/'
printf 'op=x\n\000\001\002' > "$tmp/binary.txt"
says 1 'failed: line 2: not text' "a text file with binary data fails" "$tmp/binary.txt"
: > "$tmp/empty.txt"
says 1 'failed: line 1: empty' "an empty file fails" "$tmp/empty.txt"
says 1 'No such file' "a file that is not there fails" "$tmp/absent"
mkdir "$tmp/nothing"
says 1 'holds no files' "a directory without files fails" "$tmp/nothing"
mkdir "$tmp/odd" && ln -s .. "$tmp/odd/loop" && ln -s /nowhere "$tmp/odd/dangling"
mkfifo "$tmp/odd/fifo"
"$golden" "$tmp/odd" > "$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q '0 passed, 3 failed, 0 skipped' "$tmp/out"
verdict $? "links and pipes in a directory fail and are not followed"
says 2 'usage' "no directory is wrong usage"
says 0 'usage' "help is no error" --help
says 1 '^not ok 1 - ' "a failure is one in TAP too" --tap "$tmp/empty.txt"
says 0 'no reader for this kind of file' "other text is skipped" "$src/regs/rk3588.csv"
changed 0 'no encoder for softmax/fp16 to fp16' "an operation without encoder is skipped" "$program" \
	's/^# op=.*/# op=softmax/'

# Damage at random places: a verdict for every file, whatever it is.
mkdir "$tmp/damaged"
"$PYTHON" - "$tmp/damaged" "$data" "$src/tests/model/data" "$src/tests/matmul/data" <<'EOF'
import os, random, sys
random.seed(3588)
out, files = sys.argv[1], []
for top in sys.argv[2:]:
    for dir, _, names in os.walk(top):
        files += [os.path.join(dir, n) for n in sorted(names)]
files.sort()
for i in range(300):
    with open(random.choice(files), "rb") as f:
        text = bytearray(f.read()[:20000])
    for _ in range(random.choice((1, 1, 2, 5, 40))):
        at = random.randrange(len(text))
        how = random.randrange(4)
        if how == 0:
            text[at] = random.choice(b"0123456789abcdef,-# =\n")
        elif how == 1:
            del text[at:at + random.choice((1, 3, 100))]
        elif how == 2:
            text[at:at] = random.choice((b"99999999999999999999", b",", b"\n", b"-", b"\xff"))
        else:
            del text[at:]
        text = text or bytearray(b"0")
    with open(os.path.join(out, f"{i:03}.txt"), "wb") as f:
        f.write(text)
EOF
"$golden" "$tmp/damaged" > "$tmp/out" 2>&1
[ $? -le 1 ] && [ "$(grep -c -e ': passed' -e ': failed' -e ': skipped' "$tmp/out")" -eq 300 ]
verdict $? "damaged files get a verdict each"
"$golden" --lint "$tmp/damaged" > "$tmp/out" 2>&1
[ $? -le 1 ] && tail -n 1 "$tmp/out" | grep -q 'passed, .* failed, .* skipped'
verdict $? "damaged programs go through the validator"
echo "1..$n"
