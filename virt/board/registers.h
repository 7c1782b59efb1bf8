/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * registers.h - addresses and registers that the virtual board adds to QEMU's virt machine.
 *
 * Constants only: QEMU, the guest's kernel module and its test programs include this file.
 * What the NPU cores and their IOMMUs look like is the hardware's business, not said here.
 */
#ifndef VIRT_BOARD_REGISTERS_H
#define VIRT_BOARD_REGISTERS_H

#define BOARD_CORES 3

/* ---- addresses: the RK3588's own for the cores, free ones for the rest ---- */
#define BOARD_CORE_BASE(n) (0xfdab0000u + (n)*0x10000u)
#define BOARD_CORE_SIZE    0x10000u
#define BOARD_CORE_SPI(n)  (200u + (n))
#define BOARD_MMU_PAGE_A   0x9000u /* first bank of core 0 */
#define BOARD_MMU_PAGE_B   0xa000u /* second bank of core 0, the only one of the others */
#define BOARD_TEST_PAGE    0xf000u /* knobs and counters; no driver claims it */
#define BOARD_RESET_BASE   0xfdaf0000u
#define BOARD_SOC_BASE     0xfdaf1000u
#define BOARD_PAGE_SIZE    0x1000u
#define BOARD_MEMORY_MOST  0xbd000000u /* bytes of guest memory below the cores */

/* ---- the system controller, at BOARD_SOC_BASE ---- */
#define SOC_ID            0x000u /* RO: SOC_ID_VALUE */
#define SOC_ID_VALUE      0x524e5031u
#define SOC_MODE          0x004u    /* RO */
#define SOC_MODE_FULL     (1u << 0) /* the guest has to power the NPU before using it */
#define SOC_MODE_FATAL    (1u << 1) /* a violation ends the machine */
#define SOC_CLK_REQUEST   0x010u    /* W: Hz asked of the firmware; R: the last accepted */
#define SOC_CLK_ACCEPTED  0x014u    /* RO: 1 unless the last request was refused */
#define SOC_CLK_REAL      0x018u    /* RO: Hz the cores run at */
#define SOC_CLK_GATES     0x01cu    /* RW: SOC_GATE_*; 1 runs */
#define SOC_GATE_NPU      (1u << 0)
#define SOC_GATE_ACLK(n)  (1u << (1 + (n)))
#define SOC_GATE_HCLK(n)  (1u << (4 + (n)))
#define SOC_GATE_PCLK     (1u << 7)
#define SOC_GATE_ALL      0xffu
#define SOC_RAIL_UV       0x020u /* RW: microvolts; outside the limits: kept as it was */
#define SOC_RAIL_UV_LEAST 550000u
#define SOC_RAIL_UV_MOST  950000u
#define SOC_RAIL_ON       0x024u /* RW: bit 0 */
#define SOC_POWER         0x028u /* RW: SOC_DOMAIN_*; 1 is on, at once */
#define SOC_DOMAIN_NPU    (1u << 0)
#define SOC_DOMAIN_NPUTOP (1u << 1) /* core 0, and the oscillator of the clock */
#define SOC_DOMAIN_NPU1   (1u << 2) /* core 1 */
#define SOC_DOMAIN_NPU2   (1u << 3) /* core 2 */
#define SOC_DOMAIN_ALL    0xfu
#define SOC_RESETS        0x02cu /* RW: bit 2n srst_a, 2n+1 srst_h of core n; 1 asserts */
#define SOC_RESETS_ALL    0x3fu
#define SOC_VIOLATIONS    0x040u /* count; W 0 clears this and the counts of the kinds */
#define SOC_LAST_KIND     0x044u /* RO: SOC_KIND_* of the last one */
#define SOC_LAST_ADDRESS  0x048u /* RO: the access, or the register that asked for it */
#define SOC_KIND_COUNT(k) (0x080u + 4u * (k)) /* RO */

enum soc_violation {
	SOC_KIND_NONE,
	SOC_KIND_DOMAIN_OFF,   /* a register of a core without power */
	SOC_KIND_CLOCK_OFF,    /* a register of a core whose bus clock is gated */
	SOC_KIND_NO_REGISTER,  /* an offset that hangs the bus */
	SOC_KIND_COLD_RAISE,   /* a rate above the parked one while NPUTOP is off */
	SOC_KIND_RAISED_OFF,   /* NPUTOP off while the rate is above the parked one */
	SOC_KIND_RAIL_LOW,     /* rate and rail do not go together */
	SOC_KIND_RAIL_OFF,     /* a domain on while the rail is off */
	SOC_KIND_DOMAIN_ORDER, /* a domain on while the one around it is off */
	SOC_KIND_RESET_OFF,    /* a reset asserted while the core has no power */
	SOC_KIND_UNTRANSLATED, /* a kick reaches memory past its IOMMU */
	SOC_KINDS,
};

/* ---- the test page, at BOARD_CORE_BASE(n) + BOARD_TEST_PAGE ---- */
#define TEST_ID            0x000u /* RO: TEST_ID_VALUE */
#define TEST_ID_VALUE      0x524e5432u
#define TEST_CLEAR         0x004u /* WO: TEST_CLEAR_* */
#define TEST_CLEAR_COUNTS  (1u << 0)
#define TEST_CLEAR_KNOBS   (1u << 1)
#define TEST_CLEAR_ALL     (TEST_CLEAR_COUNTS | TEST_CLEAR_KNOBS)
#define TEST_TRIGGER       0x008u    /* WO: TEST_TRIGGER_*, now */
#define TEST_TRIGGER_BUS   (1u << 0) /* a bus error in the first MMU bank */
#define TEST_TRIGGER_DPU   (1u << 1) /* RAW |= 0x300 */
#define TEST_TRIGGER_LINE  (1u << 2) /* the bare line, until RAW is read three times or 200 us */
#define TEST_TRIGGER_FAULT (1u << 3) /* a page fault in the first MMU bank */
#define TEST_TRIGGER_READ  (1u << 4) /* RAW |= DMA read error */
#define TEST_TRIGGER_WRITE (1u << 5) /* RAW |= DMA write error */
#define TEST_WALK          0x00cu    /* R: valid pages in the tables of the first bank, now */
#define TEST_POWERED       0x010u    /* RW in plain mode, else RO: bit 0 the core has power */

/* Knobs. 0 leaves the device as it is, except where said. "Next n" count down to 0. */
#define TEST_DELAY        0x020u /* us of a task; TEST_DELAY_COST (default): the cost model */
#define TEST_DELAY_COST   0xffffffffu
#define TEST_NEXT_DELAY   0x024u    /* becomes TEST_DELAY after the next kick; 0: no change */
#define TEST_DELAY_MOST   0x028u    /* us of a kick that the cost model gives at most */
#define TEST_HANG         0x02cu    /* next n kicks never complete, and write nothing */
#define TEST_HANG_TASK    0x030u    /* the n-th task from now hangs, and the kick with it */
#define TEST_DONE_BITS    0x034u    /* RAW bits at completion, in place of the program's */
#define TEST_ERROR_BITS   0x038u    /* RAW bits added at completion */
#define TEST_ERROR_ONLY   0x03cu    /* next n completions raise TEST_ERROR_BITS alone */
#define TEST_FAULT        0x040u    /* next n kicks fault and never complete */
#define TEST_FAULT_IOVA   0x044u    /* at this address; bit 0: a write */
#define TEST_FAULT_RAW    0x048u    /* 1: a fault sets the DMA error bits of RAW as well */
#define TEST_REFUSE       0x04cu    /* TEST_REFUSE_*; default FAULT | STUCK, as boards do */
#define TEST_REFUSE_FAULT (1u << 0) /* no stall while a fault is active */
#define TEST_REFUSE_STUCK (1u << 1) /* no stall from a fault until the core's reset */
#define TEST_REFUSE_OFF   (1u << 2) /* no end of paging either, where STUCK refuses a stall */
#define TEST_REFUSE_HUNG  (1u << 3) /* a kick that hangs counts as stuck, too */
#define TEST_DROP         0x050u    /* n-th completion from now: no interrupt bits */
#define TEST_REPEAT       0x054u /* n-th completion from now: the bare line again, TEST_LATER later */
#define TEST_LATE         0x058u /* n-th completion from now: its bits only TEST_LATER later */
#define TEST_LATER        0x05cu /* us */
#define TEST_STOP_BUS     0x060u /* next n OPERATION_ENABLE=0 that find DPU bits: bus error */
#define TEST_WALK_KICK    0x064u /* 1: count the valid pages at each kick */
#define TEST_MUTE         0x068u /* n-th completion from now: its bits, and no interrupt */

/* Counters, RO. */
#define TEST_KICKS        0x100u
#define TEST_TASKS        0x104u
#define TEST_COMPLETIONS  0x108u
#define TEST_ABORTED      0x10cu /* kicks ended by OPERATION_ENABLE=0 or a new kick */
#define TEST_RESET_KICKS  0x110u /* kicks ended by a reset or by power-off */
#define TEST_HANGS        0x114u /* kicks that will never complete, faults not counted */
#define TEST_IRQ_EDGES    0x118u /* rising edges of the line */
#define TEST_RESETS       0x11cu /* assertions of either line while none was asserted */
#define TEST_POWER_UPS    0x120u
#define TEST_FORCED(bank) (0x124u + 4u * (bank)) /* FORCE_RESETs */
#define TEST_ZAPS         0x12cu                 /* whole */
#define TEST_ZAP_LINES    0x130u
#define TEST_FAULTS       0x134u
#define TEST_BUS_ERRORS   0x138u
#define TEST_NO_STALLS    0x13cu /* refused */
#define TEST_NO_OFFS      0x140u /* ends of paging refused */
#define TEST_TLB_MISSES   0x144u
#define TEST_MMIO_OFF     0x148u /* accesses without power */
#define TEST_READS        0x14cu /* register reads of the core, PC, CNA and CORE */
#define TEST_WRITES       0x150u /* register writes of the core */
#define TEST_RAW_READS    0x154u
#define TEST_MASK_ZEROS   0x158u /* writes of INTERRUPT_MASK=0 */
#define TEST_MMU_READS    0x15cu /* register reads of the MMU banks */
#define TEST_MMU_WRITES   0x160u
#define TEST_ENABLES      0x164u /* ENABLE_PAGING commands of the first bank: attach or resume */
#define TEST_STALLS       0x168u /* ENABLE_STALL commands of the first bank */
#define TEST_WARNINGS     0x16cu /* suspicious things in register programs */
#define TEST_COUNTERS_END 0x170u

/* What the last kick looked like, RO. */
#define TEST_LAST_BASE      0x180u
#define TEST_LAST_AMOUNTS   0x184u
#define TEST_LAST_TASK_CON  0x188u
#define TEST_LAST_MASK      0x18cu /* INTERRUPT_MASK at the kick */
#define TEST_LAST_S_POINTER 0x190u /* CNA's, at the kick */
#define TEST_LAST_RAW       0x194u /* bits of the last completion */
#define TEST_LAST_US        0x198u /* kick to completion */
#define TEST_LAST_PAGES     0x19cu /* valid pages at the kick, with TEST_WALK_KICK */
#define TEST_LAST_FAULT     0x1a0u /* address of the last fault */
#define TEST_BUSY           0x1a4u /* 1: a kick is in flight or hangs */

#endif
