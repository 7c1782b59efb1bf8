# SPDX-License-Identifier: LGPL-2.1-or-later
EXTRA_DIST += \
	tests/goldencheck/data/conv_fp16_3x3_p1_ic32_oc16_8x8.txt \
	tests/goldencheck/data/conv_int8q_dw3x3_s2_p1_c64_9x9.txt \
	tests/goldencheck/data/fly_fp16_mul_4096.txt \
	tests/goldencheck/data/fly_int8_max_4096.txt \
	tests/goldencheck/data/lut_sigmoid_n128.csv \
	tests/goldencheck/data/pool_fp16_max_5x5s1_p2_c64_13x13.txt
