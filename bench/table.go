package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// table collects rows and prints them aligned.
type table struct {
	title string
	rows  [][]string
}

func newTable(title string) *table { return &table{title: title} }

// row adds what a figure is of, the figure, and what there is to say of it.
func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) limits(l limits, apps int) {
	t.limit("raw limit: plain server-side apply, 32 in flight", l.raw, apps, "1.00× the raw limit")
	t.limit("fair limit: with the Applications, until rolled out, and a status each", l.fair, apps, "1.00× the fair limit")
}

func (t *table) limit(what string, l limit, apps int, one string) {
	t.row(what, seconds(l.wall), one)
	t.row("  API requests an application", fmt.Sprintf("%.1f", float64(l.requests)/float64(apps)))
	t.row("  CPU of the control plane", seconds(l.plane), one)
}

// String is the table as it is printed.
func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", t.title)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range t.rows {
		fmt.Fprintf(w, "  %s\n", strings.Join(r, "\t"))
	}
	_ = w.Flush()
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func times(a, b time.Duration) string {
	return fmt.Sprintf("%.2f× the raw limit", a.Seconds()/b.Seconds())
}

func against(a, b time.Duration) string {
	return fmt.Sprintf("%.2f× the fair limit", a.Seconds()/b.Seconds())
}
