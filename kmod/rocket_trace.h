/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rocket

#if !defined(__ROCKET_TRACE_H__) || defined(TRACE_HEADER_MULTI_READ)
#define __ROCKET_TRACE_H__

#include <linux/dma-fence.h>
#include <linux/tracepoint.h>

/* A job is told by its fence: context and seqno. */

/* clang-format off */

TRACE_EVENT(rocket_submit,
	TP_PROTO(struct dma_fence *fence, u32 tasks, u32 flags),
	TP_ARGS(fence, tasks, flags),
	TP_STRUCT__entry(
		__field(u64, context)
		__field(u64, seqno)
		__field(u32, tasks)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->context = fence->context;
		__entry->seqno = fence->seqno;
		__entry->tasks = tasks;
		__entry->flags = flags;
	),
	TP_printk("job=%llu:%llu tasks=%u flags=0x%x",
		  __entry->context, __entry->seqno, __entry->tasks, __entry->flags)
);

TRACE_EVENT(rocket_kick,
	TP_PROTO(unsigned int core, struct dma_fence *fence, u64 regcmd, u32 tasks),
	TP_ARGS(core, fence, regcmd, tasks),
	TP_STRUCT__entry(
		__field(u64, context)
		__field(u64, seqno)
		__field(u64, regcmd)
		__field(unsigned int, core)
		__field(u32, tasks)
	),
	TP_fast_assign(
		__entry->context = fence->context;
		__entry->seqno = fence->seqno;
		__entry->regcmd = regcmd;
		__entry->core = core;
		__entry->tasks = tasks;
	),
	TP_printk("core=%u job=%llu:%llu regcmd=0x%llx tasks=%u",
		  __entry->core, __entry->context, __entry->seqno, __entry->regcmd,
		  __entry->tasks)
);

TRACE_EVENT(rocket_job_end,
	TP_PROTO(unsigned int core, struct dma_fence *fence, s64 ns, int error),
	TP_ARGS(core, fence, ns, error),
	TP_STRUCT__entry(
		__field(u64, context)
		__field(u64, seqno)
		__field(s64, ns)
		__field(unsigned int, core)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->context = fence->context;
		__entry->seqno = fence->seqno;
		__entry->ns = ns;
		__entry->core = core;
		__entry->error = error;
	),
	TP_printk("core=%u job=%llu:%llu ns=%lld error=%d",
		  __entry->core, __entry->context, __entry->seqno, __entry->ns, __entry->error)
);

TRACE_EVENT(rocket_power,
	TP_PROTO(unsigned int core, bool on, unsigned long raised_hz),
	TP_ARGS(core, on, raised_hz),
	TP_STRUCT__entry(
		__field(unsigned long, raised_hz)
		__field(unsigned int, core)
		__field(bool, on)
	),
	TP_fast_assign(
		__entry->raised_hz = raised_hz;
		__entry->core = core;
		__entry->on = on;
	),
	TP_printk("core=%u on=%d raised_hz=%lu", __entry->core, __entry->on, __entry->raised_hz)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE rocket_trace
#include <trace/define_trace.h>
