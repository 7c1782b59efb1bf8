// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "units.h"

const char *units_count(char buf[UNITS_SIZE], unsigned long long value)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", value);
	char *out = buf;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

const char *units_bytes(char buf[UNITS_SIZE], unsigned long long value)
{
	static const char *const names[] = { "KiB", "MiB", "GiB", "TiB" };
	double scaled = (double)value / 1024;
	size_t i = 0;

	if (value < 1024) {
		snprintf(buf, UNITS_SIZE, "%llu B", value);
		return buf;
	}
	while (scaled >= 1024 && i < sizeof(names) / sizeof(names[0]) - 1) {
		scaled /= 1024;
		i++;
	}
	snprintf(buf, UNITS_SIZE, scaled < 10 ? "%.2f %s" : "%.1f %s", scaled, names[i]);
	return buf;
}

const char *units_time(char buf[UNITS_SIZE], double us)
{
	static const char *const names[] = { "us", "ms", "s" };
	size_t i = 0;

	while (us >= 1000 && i < sizeof(names) / sizeof(names[0]) - 1) {
		us /= 1000;
		i++;
	}
	snprintf(buf, UNITS_SIZE,
		 us < 10    ? "%.2f %s"
		 : us < 100 ? "%.1f %s"
			    : "%.0f %s",
		 us, names[i]);
	return buf;
}

const char *units_error(char buf[UNITS_SIZE], double value)
{
	if (value == 0)
		strcpy(buf, "0");
	else
		snprintf(buf, UNITS_SIZE, "%.2e", value);
	return buf;
}
