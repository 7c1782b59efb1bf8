// SPDX-License-Identifier: LGPL-2.1-or-later
/* provider-seam - prints what a submit provider owes the library, and checks one. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_symbol.h"
#include "lib/core/provider.h"

#define SYMBOL "rocket_external_provider"

enum { WHOLE = 0, FAULTY = 1, UNUSABLE = 2 };

static const char usage[] =
	"Usage: provider-seam                 print every operation a provider owes\n"
	"       provider-seam NAME|FILE...    check providers\n"
	"       provider-seam --help\n"
	"\n"
	"NAME is a provider of this build. FILE holds an external one, for\n"
	"./configure --with-external-provider=FILE: an object const struct rocket_provider\n"
	"(lib/core/provider.h) named " SYMBOL ".\n"
	"  .so      is loaded and checked operation by operation\n"
	"  .o, .a   the object must be there and have the right size; its operations are\n"
	"           checked when the library first uses it\n"
	"\n"
	"Exit code: 0 whole, 1 something is missing (each named), 2 not a provider at all.\n";

static void print_line(const char *line, void *who)
{
	printf("%s: %s\n", (const char *)who, line);
}

static int verdict(const char *who, const struct rocket_provider *p)
{
	int faults = rocket_provider_check(p, print_line, (void *)who);

	if (faults)
		return FAULTY;
	printf("%s: whole: provider \"%s\", ABI %u, looks at", who, p->name, p->abi_version);
	for (const char *const *g = p->node_globs; *g; g++)
		printf(" %s", *g);
	putchar('\n');
	return WHOLE;
}

static int unusable(const char *who, const char *why)
{
	fprintf(stderr, "provider-seam: %s: %s\n", who, why);
	return UNUSABLE;
}

static int check_shared(const char *path)
{
	char *full = realpath(path, NULL); /* a bare name would be searched elsewhere */
	const struct rocket_provider *p;
	void *library;
	int r;

	if (!full)
		return unusable(path, strerror(errno));
	library = dlopen(full, RTLD_LAZY | RTLD_LOCAL);
	free(full);
	if (!library)
		return unusable(path, dlerror());
	p = dlsym(library, SYMBOL);
	r = p ? verdict(path, p) : unusable(path, "does not define " SYMBOL);
	dlclose(library);
	return r;
}

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rbe");
	uint8_t *data = NULL;
	long n = -1;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END))
		n = ftell(f);
	rewind(f);
	if (n >= 0)
		data = malloc((size_t)n + 1);
	if (data && fread(data, 1, (size_t)n, f) != (size_t)n) {
		free(data);
		data = NULL;
	}
	fclose(f);
	*size = (size_t)n;
	return data;
}

static int check_object(const char *path)
{
	uint64_t object_size = 0;
	uint8_t *image;
	size_t size;
	int r;

	errno = 0;
	image = read_whole(path, &size);
	if (!image)
		return unusable(path, errno ? strerror(errno) : "cannot be read");
	r = elf_find_object(image, size, SYMBOL, &object_size);
	free(image);
	if (r < 0)
		return unusable(path, "is neither an object file nor an archive of such");
	if (!r)
		return unusable(path, "does not define the object " SYMBOL);
	if (object_size != sizeof(struct rocket_provider)) {
		printf("%s: " SYMBOL " has %llu bytes, struct rocket_provider has %zu\n", path,
		       (unsigned long long)object_size, sizeof(struct rocket_provider));
		return FAULTY;
	}
	printf("%s: defines " SYMBOL " of the right size\n", path);
	return WHOLE;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static int check(const char *what)
{
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++)
		if ((*p)->name && !strcmp(what, (*p)->name))
			return verdict(what, *p);
	if (ends_in(what, ".o") || ends_in(what, ".a"))
		return check_object(what);
	if (ends_in(what, ".so") || strstr(what, ".so."))
		return check_shared(what);
	return unusable(what, "neither a provider of this build nor a .so, .o or .a file");
}

static void print_seam(void)
{
	const struct rocket_provider_op *op;

	printf("struct rocket_provider (lib/core/provider.h), ABI %u, %zu bytes. A provider "
	       "owes:\n",
	       ROCKET_PROVIDER_ABI, sizeof(struct rocket_provider));
	for (unsigned i = 0; (op = rocket_provider_op(i)); i++)
		printf("  %-15s %s\n", op->name, op->duty);
	printf("beside abi_version, size, name and node_globs.\nProviders of this build:");
	for (const struct rocket_provider *const *p = rocket_providers(); *p; p++)
		printf(" %s", (*p)->name);
	putchar('\n');
}

int main(int argc, char **argv)
{
	int worst = WHOLE;

	if (argc < 2) {
		print_seam();
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		int r;

		if (argv[i][0] == '-') {
			fprintf(stderr, "provider-seam: unknown option %s\n\n%s", argv[i], usage);
			return UNUSABLE;
		}
		r = check(argv[i]);
		if (r > worst)
			worst = r;
	}
	return worst;
}
