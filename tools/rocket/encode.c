// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "lib/core/status.h"
#include "lib/encode/matmul.h"
#include "lib/encode/program.h"

#include "dtype.h"
#include "json.h"
#include "options.h"

enum {
	OPTION_DTYPE = OPTION_LONG,
	OPTION_INPUT,
	OPTION_WEIGHTS,
	OPTION_OUTPUT,
	OPTION_ADD,
	OPTION_WEIGHT_REUSE,
	OPTION_DATA_REUSE,
	OPTION_ENCODE_RAW,
};

struct encode {
	struct options options;
	const struct dtype *dtype;
	struct rocket_matmul_task task;
	bool raw;
	uint64_t words[ROCKET_RK3588_MATMUL_WORDS];
	size_t count;
};

static bool take_address(const struct encode *e, const char *name, uint32_t *address)
{
	long long value;

	if (!options_number(&e->options, name, optarg, 0, 0xffffffff, &value))
		return false;
	*address = (uint32_t)value;
	return true;
}

static bool take(struct encode *e, int value)
{
	switch (value) {
	case OPTION_DTYPE:
		e->dtype = dtype_option(&e->options, optarg);
		return e->dtype != NULL;
	case OPTION_INPUT:
		return take_address(e, "--input", &e->task.input);
	case OPTION_WEIGHTS:
		return take_address(e, "--weights", &e->task.weights);
	case OPTION_OUTPUT:
		return take_address(e, "--output", &e->task.output);
	case OPTION_ADD:
		e->task.accumulate = true;
		return take_address(e, "--add", &e->task.add);
	case OPTION_WEIGHT_REUSE:
		e->task.weight_reuse = true;
		return true;
	case OPTION_DATA_REUSE:
		e->task.data_reuse = true;
		return true;
	case OPTION_ENCODE_RAW:
		e->raw = true;
		return true;
	}
	return false;
}

static void print_raw(const struct encode *e)
{
	for (size_t i = 0; i < e->count; i++)
		for (unsigned byte = 0; byte < 8; byte++)
			putchar((int)(e->words[i] >> 8 * byte & 0xff));
}

/* The keys are those of the golden programs. */
static void print_text(const struct encode *e)
{
	const struct rocket_matmul_task *t = &e->task;
	const struct rocket_matmul_traits *traits = rocket_matmul_traits(t->type);

	printf("# op=matmul\n# soc=rk3588\n# dtype=%s\n# out_dtype=%s\n", traits->name,
	       traits->result);
	printf("# M=%u\n# K=%u\n# N=%u\n", t->m, t->k, t->n);
	printf("# input=0x%08x\n# weights=0x%08x\n# output=0x%08x\n", t->input, t->weights,
	       t->output);
	printf("# accumulate=%d\n# add=0x%08x\n# weight_reuse=%d\n# data_reuse=%d\n", t->accumulate,
	       t->add, t->weight_reuse, t->data_reuse);
	printf("# words=%zu\n# format=opcode_hex,register_offset_hex,value_hex\n", e->count);
	for (size_t i = 0; i < e->count; i++)
		printf("%04x,%04x,%08x\n", rocket_word_target(e->words[i]),
		       rocket_word_offset(e->words[i]), rocket_word_value(e->words[i]));
}

static void print_json(const struct encode *e)
{
	const struct rocket_matmul_task *t = &e->task;
	struct json j;

	json_begin(&j, stdout);
	json_string(&j, "command", "regcmd encode");
	json_string(&j, "op", "matmul");
	json_string(&j, "chip", "rk3588");
	json_string(&j, "dtype", e->dtype->name);
	json_count(&j, "M", t->m);
	json_count(&j, "K", t->k);
	json_count(&j, "N", t->n);
	json_array(&j, "words");
	for (size_t i = 0; i < e->count; i++) {
		char hex[20];

		snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)e->words[i]);
		json_string(&j, NULL, hex);
	}
	json_finish(&j);
}

static int encode_matmul(struct encode *e)
{
	const struct options *o = &e->options;
	struct extent extent;
	char why[160] = "";
	int count;

	if (!options_operands(o, 4, 4, "an operation and its size: matmul M K N"))
		return EXIT_USAGE;
	if (strcmp(o->argv[optind], "matmul"))
		return command_misused(o->command, "cannot encode '%s': matmul is expected",
				       o->argv[optind]);
	if (!extent_operands(o, o->argv + optind + 1, &extent))
		return EXIT_USAGE;
	e->task.type = e->dtype->program;
	e->task.m = (uint32_t)extent.M;
	e->task.k = (uint32_t)extent.K;
	e->task.n = (uint32_t)extent.N;
	count = rocket_rk3588_matmul(&e->task, e->words, ROCKET_RK3588_MATMUL_WORDS, why,
				     sizeof(why));
	if (count < 0)
		return command_failed(o->command, o->json, EXIT_USAGE, "%s (%s)", why,
				      rocket_status_name(count));
	e->count = (size_t)count;
	return EXIT_RIGHT;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		{ "dtype", required_argument, NULL, OPTION_DTYPE },
		{ "input", required_argument, NULL, OPTION_INPUT },
		{ "weights", required_argument, NULL, OPTION_WEIGHTS },
		{ "output", required_argument, NULL, OPTION_OUTPUT },
		{ "add", required_argument, NULL, OPTION_ADD },
		{ "weight-reuse", no_argument, NULL, OPTION_WEIGHT_REUSE },
		{ "data-reuse", no_argument, NULL, OPTION_DATA_REUSE },
		{ "raw", no_argument, NULL, OPTION_ENCODE_RAW },
		OPTIONS_COMMON,
	};
	struct encode e = {
		.dtype = dtype_named("fp16"),
		.task = { .input = 0x10000000, .weights = 0x20000000, .output = 0x30000000 },
	};
	int value, rc;

	options_begin(&e.options, self, argc, argv);
	while ((value = options_next(&e.options, table)) != OPTION_END) {
		if (value == OPTION_BAD || value == OPTION_HELPED)
			return options_exit(value);
		if (!take(&e, value))
			return EXIT_USAGE;
	}
	rc = encode_matmul(&e);
	if (rc)
		return rc;
	if (e.options.json)
		print_json(&e);
	else if (e.raw)
		print_raw(&e);
	else
		print_text(&e);
	return EXIT_RIGHT;
}

const struct command command_encode = {
	.name = "regcmd encode",
	.summary = "write the program of one matmul tile",
	.operation = "matmul",
	.usage = "matmul [--dtype TYPE] [--input ADDR] [--weights ADDR] [--output ADDR]\n"
		 "           [--add ADDR] [--weight-reuse] [--data-reuse] [--raw] [--json] M K N",
	.help = "Writes the register program that multiplies one M x K tile by an N x K tile on\n"
		"the RK3588. It must fit the on-chip buffer: `rocket plan matmul` shows how a\n"
		"larger product is cut into tiles.\n"
		"\n"
		"Options:\n"
		"  --dtype TYPE     " DTYPE_NAMES "\n"
		"                   [fp16]\n"
		"  --input ADDR     where the packed A lies in NPU memory [0x10000000]\n"
		"  --weights ADDR   where the packed B lies [0x20000000]\n"
		"  --output ADDR    where C goes [0x30000000]\n"
		"  --add ADDR       add the partial result there (fp16 only)\n"
		"  --weight-reuse   keep the previous task's weights\n"
		"  --data-reuse     keep the previous task's features\n"
		"  --raw            write 64-bit little-endian words, not text\n"
		"  --json           write JSON\n"
		"\n"
		"Examples:\n"
		"  rocket regcmd encode matmul --dtype int8 64 256 128\n"
		"  rocket regcmd encode matmul 64 256 128 | rocket regcmd decode -\n",
	.run = run,
};
