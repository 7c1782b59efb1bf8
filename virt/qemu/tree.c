// SPDX-License-Identifier: LGPL-2.1-or-later
/* tree.c - the nodes of the NPU. A node is added before its elder siblings, so: last one first. */
#include "qemu/osdep.h"

#include "tree.h"
#include "hw/arm/fdt.h"
#include "qemu/bswap.h"
#include "system/device_tree.h"
#include "virt/board/registers.h"

/* Ids of the guest's module, which is clock, reset and domain controller at once. */
#define CLOCK_NPU     0
#define CLOCK_ACLK(n) (1 + (n))
#define CLOCK_HCLK(n) (4 + (n))
#define CLOCK_PCLK    7
#define DOMAIN_OF(n)  (1 + (n))
#define PARKED_HZ     200000000

#define STRINGS(...)                                                                               \
	(const char *const[]){ __VA_ARGS__ },                                                      \
		(int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

struct tree {
	void *fdt;
	bool full;
	uint32_t soc, rail, resets;          /* phandles */
	uint32_t clk_a, clk_h, clk_n, clk_p; /* of fixed clocks */
};

static uint32_t new_phandle(struct tree *t, const char *path)
{
	uint32_t phandle = qemu_fdt_alloc_phandle(t->fdt);

	qemu_fdt_setprop_cell(t->fdt, path, "phandle", phandle);
	return phandle;
}

/* Strings one after the other, as fdt has them. */
static void set_strings(struct tree *t, const char *path, const char *name,
			const char *const *strings, int n)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (int i = 0; i < n; i++)
		g_string_append_len(all, strings[i], strlen(strings[i]) + 1);
	qemu_fdt_setprop(t->fdt, path, name, all->str, all->len);
}

static char *add_node(struct tree *t, const char *name, uint32_t address)
{
	char *path = g_strdup_printf("/%s@%x", name, address);

	qemu_fdt_add_subnode(t->fdt, path);
	return path;
}

static uint32_t add_fixed_clock(struct tree *t, const char *path, uint32_t hz)
{
	qemu_fdt_add_subnode(t->fdt, path);
	qemu_fdt_setprop_string(t->fdt, path, "compatible", "fixed-clock");
	qemu_fdt_setprop_cell(t->fdt, path, "#clock-cells", 0);
	qemu_fdt_setprop_cell(t->fdt, path, "clock-frequency", hz);
	return new_phandle(t, path);
}

static void set_interrupt(struct tree *t, const char *path, unsigned core)
{
	qemu_fdt_setprop_cells(t->fdt, path, "interrupts", GIC_FDT_IRQ_TYPE_SPI,
			       BOARD_CORE_SPI(core), GIC_FDT_IRQ_FLAGS_LEVEL_HI);
}

static void set_domain(struct tree *t, const char *path, unsigned core)
{
	if (t->full)
		qemu_fdt_setprop_cells(t->fdt, path, "power-domains", t->soc, DOMAIN_OF(core));
}

static uint32_t add_iommu(struct tree *t, unsigned core)
{
	uint32_t base = BOARD_CORE_BASE(core);
	uint32_t first = base + (core ? BOARD_MMU_PAGE_B : BOARD_MMU_PAGE_A);
	g_autofree char *path = add_node(t, "iommu", first);

	set_strings(t, path, "compatible",
		    STRINGS("rockchip,rk3588-iommu", "rockchip,rk3568-iommu"));
	if (core)
		qemu_fdt_setprop_sized_cells(t->fdt, path, "reg", 2, first, 2, 0x100);
	else
		qemu_fdt_setprop_sized_cells(t->fdt, path, "reg", 2, first, 2, 0x100, 2,
					     base + BOARD_MMU_PAGE_B, 2, 0x100);
	set_interrupt(t, path, core);
	if (t->full)
		qemu_fdt_setprop_cells(t->fdt, path, "clocks", t->soc, CLOCK_ACLK(core), t->soc,
				       CLOCK_HCLK(core));
	else
		qemu_fdt_setprop_cells(t->fdt, path, "clocks", t->clk_a, t->clk_h);
	set_strings(t, path, "clock-names", STRINGS("aclk", "iface"));
	set_domain(t, path, core);
	qemu_fdt_setprop_cell(t->fdt, path, "#iommu-cells", 0);
	return new_phandle(t, path);
}

/* What a core of an RK3588 takes from the chip around it. */
static void set_supplies(struct tree *t, const char *path, unsigned core)
{
	if (!t->full) {
		qemu_fdt_setprop_cells(t->fdt, path, "clocks", t->clk_a, t->clk_h, t->clk_n,
				       t->clk_p);
		return;
	}
	qemu_fdt_setprop_cells(t->fdt, path, "clocks", t->soc, CLOCK_ACLK(core), t->soc,
			       CLOCK_HCLK(core), t->soc, CLOCK_NPU, t->soc, CLOCK_PCLK);
	qemu_fdt_setprop_cells(t->fdt, path, "assigned-clocks", t->soc, CLOCK_NPU);
	qemu_fdt_setprop_cells(t->fdt, path, "assigned-clock-rates", PARKED_HZ);
	qemu_fdt_setprop_cell(t->fdt, path, "npu-supply", t->rail);
	qemu_fdt_setprop_cell(t->fdt, path, "sram-supply", t->rail);
}

static void add_npu(struct tree *t, unsigned core, uint32_t iommu)
{
	uint32_t base = BOARD_CORE_BASE(core), resets = t->full ? t->soc : t->resets;
	g_autofree char *path = add_node(t, "npu", base);

	qemu_fdt_setprop_string(t->fdt, path, "compatible", "rockchip,rk3588-rknn-core");
	qemu_fdt_setprop_sized_cells(t->fdt, path, "reg", 2, base, 2, 0x1000, 2, base + 0x1000, 2,
				     0x1000, 2, base + 0x3000, 2, 0x1000);
	set_strings(t, path, "reg-names", STRINGS("pc", "cna", "core"));
	set_interrupt(t, path, core);
	set_supplies(t, path, core);
	set_strings(t, path, "clock-names", STRINGS("aclk", "hclk", "npu", "pclk"));
	qemu_fdt_setprop_cells(t->fdt, path, "resets", resets, 2 * core, resets, 2 * core + 1);
	set_strings(t, path, "reset-names", STRINGS("srst_a", "srst_h"));
	set_domain(t, path, core);
	if (iommu)
		qemu_fdt_setprop_cell(t->fdt, path, "iommus", iommu);
}

static void add_soc(struct tree *t)
{
	g_autofree char *path = add_node(t, "soc", BOARD_SOC_BASE);
	g_autofree char *rail = g_strdup_printf("%s/vdd-npu", path);

	qemu_fdt_setprop_string(t->fdt, path, "compatible", "rocket-npu,board-soc");
	qemu_fdt_setprop_sized_cells(t->fdt, path, "reg", 2, BOARD_SOC_BASE, 2, BOARD_PAGE_SIZE);
	qemu_fdt_setprop_cell(t->fdt, path, "#clock-cells", 1);
	qemu_fdt_setprop_cell(t->fdt, path, "#reset-cells", 1);
	qemu_fdt_setprop_cell(t->fdt, path, "#power-domain-cells", 1);
	t->soc = new_phandle(t, path);
	qemu_fdt_add_subnode(t->fdt, rail);
	qemu_fdt_setprop_string(t->fdt, rail, "regulator-name", "vdd_npu");
	qemu_fdt_setprop_cell(t->fdt, rail, "regulator-min-microvolt", SOC_RAIL_UV_LEAST);
	qemu_fdt_setprop_cell(t->fdt, rail, "regulator-max-microvolt", SOC_RAIL_UV_MOST);
	qemu_fdt_setprop(t->fdt, rail, "regulator-boot-on", NULL, 0);
	t->rail = new_phandle(t, rail);
}

static void add_plain(struct tree *t)
{
	g_autofree char *path = add_node(t, "reset", BOARD_RESET_BASE);

	qemu_fdt_setprop_string(t->fdt, path, "compatible", "snps,dw-high-reset");
	qemu_fdt_setprop_sized_cells(t->fdt, path, "reg", 2, BOARD_RESET_BASE, 2, BOARD_PAGE_SIZE);
	qemu_fdt_setprop_cell(t->fdt, path, "#reset-cells", 1);
	t->resets = new_phandle(t, path);
	t->clk_p = add_fixed_clock(t, "/npu-clk-p", 100000000);
	t->clk_n = add_fixed_clock(t, "/npu-clk-npu", PARKED_HZ);
	t->clk_h = add_fixed_clock(t, "/npu-clk-h", 198000000);
	t->clk_a = add_fixed_clock(t, "/npu-clk-a", 198000000);
}

void tree_add(void *fdt, bool full, unsigned cores, unsigned bare)
{
	struct tree t = { .fdt = fdt, .full = full };

	if (full)
		add_soc(&t);
	else
		add_plain(&t);
	for (unsigned i = cores; i-- > 0;)
		add_npu(&t, i, i == bare ? 0 : add_iommu(&t, i));
}
