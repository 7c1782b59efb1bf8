// SPDX-License-Identifier: LGPL-2.1-or-later
/* report_plot.c - bars of efficiency, a group for each result, as SVG. */
#include "report.h"

enum { LEFT = 60, TOP = 70, HEIGHT = 300, BAR = 22, GAP = 26, BARS_MAX = 4, FOOT = 60 };

#define GROUP (BARS_MAX * BAR + GAP)

struct series {
	const char *name, *style;
};

/* In the order of their bars. */
enum { PUBLISHED, SET_M, SET_V, WALL, SERIES };

static struct series series_of(const struct scaling_device *dev, unsigned which)
{
	static const struct series all[SERIES] = {
		[PUBLISHED] = { "published", "fill:#8a8a8a" },
		[SET_M] = { "ESTIMATE (set M)", "fill:#2b6cb0" },
		[SET_V] = { "ESTIMATE (set V)", "fill:#90cdf4" },
		[WALL] = { "measured", "fill:#2f855a" },
	};
	static const struct series simulation = {
		"wall time of the simulation, which says nothing of an NPU",
		"fill:none;stroke:#b7791f;stroke-dasharray:3"
	};

	return which == WALL && dev->simulated ? simulation : all[which];
}

/* Below 0: there is no such bar. */
static double value_of(const struct scaling_result *r, unsigned which)
{
	const struct scaling_published *p = &r->scenario->published[r->mode];
	const double *ms;

	switch (which) {
	case PUBLISHED:
		if (!(p->one_ms > 0) || r->tasks != r->scenario->tasks[r->mode])
			return -1;
		return scaling_efficiency(p->one_ms, p->three_ms);
	case WALL:
		return scaling_efficiency(r->wall[SCALING_ONE].avg, r->wall[SCALING_THREE].avg);
	default:
		if (!r->estimated)
			return -1;
		ms = r->estimates[which - SET_M].ms;
		return scaling_efficiency(ms[SCALING_ONE], ms[SCALING_THREE]);
	}
}

static double y_of(double efficiency)
{
	const double shown = efficiency > 1.1 ? 1.1 : efficiency; /* a bar is cut there */

	return TOP + HEIGHT * (1 - shown / 1.1);
}

static void draw_text(FILE *out, double x, double y, const char *anchor, int size, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n",
		x, y, anchor, size, text);
}

static void draw_line(FILE *out, double width, double efficiency, const char *style,
		      const char *label)
{
	fprintf(out, "<line x1=\"%d\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" style=\"%s\"/>\n", LEFT,
		width, y_of(efficiency), y_of(efficiency), style);
	draw_text(out, LEFT - 6, y_of(efficiency) + 4, "end", 11, label);
}

static void draw_group(FILE *out, const struct scaling_device *dev, const struct scaling_result *r,
		       double x)
{
	char label[80];

	for (unsigned i = 0; i < SERIES; i++) {
		const double v = value_of(r, i);

		if (v < 0)
			continue;
		fprintf(out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" style=\"%s\"/>\n",
			x + i * BAR, y_of(v), BAR - 3, TOP + HEIGHT - y_of(v),
			series_of(dev, i).style);
		snprintf(label, sizeof(label), "%.0f", v * 100);
		draw_text(out, x + i * BAR + (BAR - 3) / 2.0, y_of(v) - 3, "middle", 9, label);
	}
	draw_text(out, x + BARS_MAX * BAR / 2.0, TOP + HEIGHT + 16, "middle", 10,
		  r->scenario->name);
	snprintf(label, sizeof(label), "%s, %u tasks", scaling_mode_names[r->mode],
		 (unsigned)r->tasks);
	draw_text(out, x + BARS_MAX * BAR / 2.0, TOP + HEIGHT + 30, "middle", 10, label);
}

static void draw_legend(FILE *out, const struct scaling_device *dev)
{
	double x = LEFT;

	for (unsigned i = 0; i < SERIES; i++) {
		const struct series s = series_of(dev, i);

		fprintf(out,
			"<rect x=\"%.0f\" y=\"44\" width=\"12\" height=\"12\" style=\"%s\"/>\n", x,
			s.style);
		draw_text(out, x + 16, 54, "start", 11, s.name);
		x += 150;
	}
}

void scaling_write_plot(FILE *out, const struct scaling_device *dev, double mhz,
			const struct scaling_result *results, unsigned count)
{
	const double width = LEFT + (count > 7 ? count : 7) * GROUP;
	char title[200];

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" "
		"font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" "
		"style=\"fill:white\"/>\n",
		width + 20, TOP + HEIGHT + FOOT);
	snprintf(title, sizeof(title),
		 "Efficiency of three cores, percent: driver %s, %s; estimates at %.0f MHz",
		 dev->info.provider,
		 dev->dispatch == SCALING_CHAIN ? "one kick for the tasks of a core"
						: "a kick for each task",
		 mhz);
	draw_text(out, LEFT, 26, "start", 15, title);
	draw_legend(out, dev);
	draw_line(out, width, 0, "stroke:black", "0");
	draw_line(out, width, 0.5, "stroke:#ccc", "50");
	draw_line(out, width, 1, "stroke:#ccc", "100");
	draw_line(out, width, SCALING_PUBLISHED_BEST, "stroke:#c53030;stroke-dasharray:6", "83.8");
	for (unsigned i = 0; i < count; i++)
		draw_group(out, dev, &results[i], LEFT + GAP / 2.0 + i * GROUP);
	fprintf(out, "</svg>\n");
}
