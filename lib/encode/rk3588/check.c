// SPDX-License-Identifier: LGPL-2.1-or-later
#include "check.h"

unsigned rk3588_precision_bits(unsigned precision)
{
	static const uint8_t bits[8] = {
		[RK3588_INT8] = 8,   [RK3588_INT16] = 16, [RK3588_FP16] = 16, [RK3588_BF16] = 16,
		[RK3588_INT32] = 32, [RK3588_FP32] = 32,  [RK3588_INT4] = 4,  [RK3588_TF32] = 32,
	};

	return bits[precision & 7];
}

void rocket_rk3588_check(struct rocket_check *c)
{
	struct rk3588_cube cube = { 0 };

	switch (c->configured) {
	case ROCKET_ENABLE_CONV:
		rk3588_check_pointers(c);
		rk3588_check_conv(c, &cube);
		rk3588_check_cbuf(c, &cube);
		rk3588_check_operand(c, &cube);
		rk3588_check_stages(c);
		rk3588_check_output(c, &cube);
		rk3588_check_lut(c);
		rk3588_check_conv_memory(c, &cube);
		break;
	case ROCKET_ENABLE_FLYING:
		rk3588_check_pointers(c);
		rk3588_check_stages(c);
		rk3588_check_flying(c, &cube);
		rk3588_check_lut(c);
		rk3588_check_flying_memory(c, &cube);
		break;
	case ROCKET_ENABLE_POOL:
		rk3588_check_pool(c);
		break;
	}
}
