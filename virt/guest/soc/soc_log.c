// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs, in rocket-soc/: what happened (log), what should not have (violations), what the
 * oscillator really does (real_rate), and the knobs. Writing to log empties it.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "soc.h"

void soc_log(struct soc *soc, const char *what, u32 id, u32 value)
{
	struct soc_event *e;
	unsigned long flags;

	spin_lock_irqsave(&soc->log_lock, flags);
	e = &soc->events[soc->logged++ % SOC_EVENTS];
	*e = (struct soc_event){ ktime_get_ns(), what, id, value, raw_smp_processor_id() };
	spin_unlock_irqrestore(&soc->log_lock, flags);
}

/* A line may be lost while it is read; its number tells. */
static int log_show(struct seq_file *s, void *unused)
{
	struct soc *soc = s->private;
	u64 end = READ_ONCE(soc->logged), i = end > SOC_EVENTS ? end - SOC_EVENTS : 0;

	for (; i < end; i++) {
		struct soc_event e = soc->events[i % SOC_EVENTS];

		seq_printf(s, "%llu %llu %u %s %u %u\n", i, e.ns, e.cpu, e.what, e.id, e.value);
	}
	return 0;
}

static ssize_t log_write(struct file *file, const char __user *from, size_t n, loff_t *at)
{
	struct soc *soc = ((struct seq_file *)file->private_data)->private;
	unsigned long flags;

	spin_lock_irqsave(&soc->log_lock, flags);
	soc->logged = 0;
	spin_unlock_irqrestore(&soc->log_lock, flags);
	return n;
}

static int log_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, log_show, inode->i_private, SOC_EVENTS * 80);
}

static const struct file_operations log_fops = {
	.owner = THIS_MODULE,
	.open = log_open,
	.read = seq_read,
	.write = log_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int violations_show(struct seq_file *s, void *unused)
{
	struct soc *soc = s->private;

	seq_printf(s, "%u\n", soc_read(soc, SOC_VIOLATIONS) + soc->late_clocks);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(violations);

static int real_rate_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%u\n", soc_read(s->private, SOC_CLK_REAL));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(real_rate);

void soc_log_init(struct soc *soc)
{
	struct dentry *dir = debugfs_create_dir("rocket-soc", NULL);

	debugfs_create_file("log", 0600, dir, soc, &log_fops);
	debugfs_create_file("violations", 0400, dir, soc, &violations_fops);
	debugfs_create_file("real_rate", 0400, dir, soc, &real_rate_fops);
	debugfs_create_u32("late_clocks", 0600, dir, &soc->late_clocks);
	debugfs_create_u32("fail_rates", 0600, dir, &soc->knobs.fail_rates);
	debugfs_create_u32("report_rate", 0600, dir, &soc->knobs.report_rate);
	debugfs_create_u32("fail_voltages", 0600, dir, &soc->knobs.fail_voltages);
	debugfs_create_u32("domain_us", 0600, dir, &soc->knobs.domain_us);
}
