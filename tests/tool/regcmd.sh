#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Reading, checking and writing register programs by the command.
. "$top_srcdir/tests/tool/tool.sh"

cd "$work" || exit 99
encode() {
	"$rocket" regcmd encode matmul "$@"
}

# ---- encode ----
for dtype in fp16 fp16-f32 int8; do
	encode --dtype $dtype 64 256 128 >$dtype.txt
	exits "encoded_${dtype}_is_clean" 0 "0 errors, 0 warnings" "$rocket" regcmd lint --job $dtype.txt
	encode --raw --dtype $dtype 64 256 128 >$dtype.bin
	"$rocket" regcmd decode $dtype.txt >$dtype.from_text
	"$rocket" regcmd decode $dtype.bin >$dtype.from_raw
	succeeds "${dtype}_text_and_words_decode_alike" diff $dtype.from_text $dtype.from_raw
	succeeds "${dtype}_decodes_every_word" test "$(grep -c '_' $dtype.from_text)" -ge 126
	json "${dtype}_encodes_to_json" 0 "len(j['words']) == 126 and j['dtype'] == '$dtype'" \
		"$rocket" regcmd encode matmul --json --dtype $dtype 64 256 128
	json "${dtype}_decodes_to_json" 0 \
		"len(j['programs']) == 1 and j['programs'][0]['word_count'] == 126 and j['programs'][0]['complete'] and j['programs'][0]['enable'] == 0x1d" \
		"$rocket" regcmd decode --json $dtype.bin
	json "${dtype}_lints_to_json" 0 "j['errors'] == 0 and j['faults'] == [] and j['programs'] == 1" \
		"$rocket" regcmd lint --json $dtype.txt
done
exits addresses_are_encoded 0 "1001,4020,12345670" "$rocket" regcmd encode matmul --output 0x12345670 64 256 128
exits encode_says_which_rule_k_breaks 2 "K" "$rocket" regcmd encode matmul 64 255 128
exits encode_says_which_rule_n_breaks 2 "N" "$rocket" regcmd encode matmul 64 256 100
exits encode_refuses_unaligned_address 2 "ROCKET_E_SHAPE" "$rocket" regcmd encode matmul --input 0x10000004 64 256 128
exits encode_refuses_too_large_tile 2 "ROCKET_E_SHAPE" "$rocket" regcmd encode matmul 8192 8192 8192
exits encode_refuses_huge_extent 2 "ROCKET_E_SHAPE" "$rocket" regcmd encode matmul 2147483644 32 16
exits encode_refuses_add_of_int8 2 "ROCKET_E" "$rocket" regcmd encode matmul --dtype int8 --add 0x40000000 64 256 128
exits encode_refuses_far_address 2 "outside" "$rocket" regcmd encode matmul --input 0x100000000 64 256 128
json encode_refusal_as_json 2 "j['exit'] == 2 and 'ROCKET_E_SHAPE' in j['error']" \
	"$rocket" regcmd encode matmul --json 64 255 128

# ---- decode ----
exits decode_names_registers 0 "CNA.CONV_CON2" "$rocket" regcmd decode fp16.txt
exits decode_reads_standard_input 0 "DPU.DST_BASE_ADDR" sh -c "'$rocket' regcmd decode - <fp16.bin"
exits decode_shows_base 0 "at 0x50000000" "$rocket" regcmd decode --base 0x50000000 fp16.bin
exits decode_of_missing_file 2 "No such file" "$rocket" regcmd decode absent.bin
exits decode_of_directory 2 "directory" "$rocket" regcmd decode .
exits decode_without_file 2 "needs one FILE" "$rocket" regcmd decode
exits decode_of_two_files 2 "one argument too many" "$rocket" regcmd decode fp16.bin fp16.bin
exits decode_for_unknown_chip 2 "no register table for chip 'rk1'" "$rocket" regcmd decode --chip rk1 fp16.bin
exits decode_at_unusable_base 2 "outside" "$rocket" regcmd decode --base 0x100000000 fp16.bin
head -c 1003 fp16.bin >cut.bin
exits decode_of_cut_words 2 "1003 bytes, not a whole number" "$rocket" regcmd decode cut.bin
json decode_of_cut_words_as_json 2 "'1003' in j['error']" "$rocket" regcmd decode --json cut.bin
: >empty
exits decode_of_empty_file 2 "is empty" "$rocket" regcmd decode empty
echo "hello world" >words.txt
exits decode_of_other_text 2 "line 1: 'hello world' is not a word" "$rocket" regcmd decode words.txt
head -c 65536 "$rocket" >garbage.bin
exits decode_of_garbage 0 "" "$rocket" regcmd decode garbage.bin
json decode_of_garbage_as_json 0 "j['programs']" "$rocket" regcmd decode --json garbage.bin
head -c 64 /dev/zero >zero.bin
exits decode_of_nothing 0 "no program" "$rocket" regcmd decode zero.bin
printf '# \377\n0081,0008,1d\n' >'name
with "quotes" \'
exits decode_of_odd_name 2 "" "$rocket" regcmd decode --text absent/'name
"'
json odd_name_in_json 0 "j['file'].startswith('name')" "$rocket" regcmd decode --text --json 'name
with "quotes" \'

# ---- lint ----
head -c 800 fp16.bin >short.bin
exits lint_of_program_cut_short 1 "error" "$rocket" regcmd lint short.bin
exits lint_of_nothing 1 "no program" "$rocket" regcmd lint zero.bin
exits lint_of_garbage 1 "error" "$rocket" regcmd lint garbage.bin
exits lint_of_missing_file 2 "No such file" "$rocket" regcmd lint absent.bin
json lint_of_garbage_as_json 1 "j['errors'] > 0 and j['faults'][0]['reason']" "$rocket" regcmd lint --json garbage.bin
sed 's/,0008,0000001d$/,0008,0000000d/' fp16.txt >no_rdma.txt
exits lint_finds_the_program_that_hangs 1 "DPU_RDMA" "$rocket" regcmd lint no_rdma.txt
grep -v '^0041,' fp16.txt >no_fence.txt
exits lint_finds_the_missing_fence 1 "error" "$rocket" regcmd lint no_fence.txt
sed 's/^0201,1040,.*/0201,1040,000000ff/' fp16.txt >banks.txt
exits lint_names_the_register 1 "CBUF_CON0" "$rocket" regcmd lint banks.txt
json lint_places_the_fault 1 "any(f['register'] == 'CBUF_CON0' and f['word'] > 0 for f in j['faults'])" \
	"$rocket" regcmd lint --json banks.txt
encode --data-reuse 64 256 128 >reuse.txt
exits lint_takes_reuse_within_a_job 0 "0 errors" "$rocket" regcmd lint reuse.txt
exits lint_finds_reuse_at_the_start_of_a_job 1 "error" "$rocket" regcmd lint --job reuse.txt

# Two programs, the first linked to the second, from the base the second line names.
chain() {
	echo "# regcmd_base=0x50000000"
	grep -v '^#' fp16.txt | sed "s/^0000,0000,.*/0101,0010,$1/; s/^0101,0014,.*/0101,0014,$2/"
	grep -v '^#' int8.txt
}
chain 500003f0 3e >chain.txt
exits chain_is_followed 0 "-> program 1" "$rocket" regcmd decode chain.txt
exits chain_is_clean 0 "2 programs, 0 errors" "$rocket" regcmd lint chain.txt
json chain_as_json 0 "j['programs'][0]['link_program'] == 1 and j['programs'][1]['address'] == 0x500003f0" \
	"$rocket" regcmd decode --json chain.txt
chain 500003f0 1e >chain_short.txt
exits chain_with_wrong_length 1 "not the length of the program linked to" "$rocket" regcmd lint chain_short.txt
chain 60000000 3e >chain_lost.txt
exits chain_out_of_the_file 0 "not a program of this file" "$rocket" regcmd decode chain_lost.txt
exits chain_out_of_the_file_fails_when_strict 1 "warning" "$rocket" regcmd lint --strict chain_lost.txt

# ---- programs recorded from validated encoders ----
# The words of every file come back, and only those known to fail on hardware are faulty.
if [ -d "$golden/matmul-rk3588/programs" ]; then
	mkdir golden
	for file in "$golden"/matmul-rk3588/programs/*.txt "$golden"/regcmd/*.txt; do
		of=$(basename "$file" .txt)
		case $of in
		*rk3576*)
			exits "golden_${of}_has_no_table" 2 "no register table for chip 'rk3576'" \
				"$rocket" regcmd lint "$file"
			continue
			;;
		fp16_fp16_acc_8x64x32) expected="1 12 pixels" ;; # fewer rows than the operand DMA takes
		07_mm_int16*) expected="1 SIZE_E" ;; # the old writer, which hangs
		fp16_* | int8_* | chain_* | [0-9]*) expected="0 0 errors" ;;
		*) continue ;;
		esac
		exits "golden_$of" "${expected%% *}" "${expected#* }" "$rocket" regcmd lint "$file"
		"$rocket" regcmd decode --json "$file" >"golden/$of.json"
		grep -v '^#' "$file" | tr -d ',\r' | sed 's/^\(....\)\(....\)\(........\)$/\1\3\2/' >"golden/$of.words"
	done
	succeeds golden_programs_decode_to_their_words "$python" -c '
import glob, json
for name in glob.glob("golden/*.json"):
    words = [w["hex"] for p in json.load(open(name))["programs"] for w in p["words"]]
    recorded = open(name[:-4] + "words").read().split()
    assert words and words == recorded, name'
else
	skip golden_programs "no golden data beside the source tree"
fi
plan
