package engine

import (
	"sort"
	"strings"
)

// dropNoValue takes out what text/template writes for missing values, and
// moves the records along.
func (o *Output) dropNoValue() {
	if !strings.Contains(o.Text, noValue) {
		return
	}
	gone, at, next := 0, 0, 0
	for {
		i := strings.Index(o.Text[at:], noValue)
		if i < 0 {
			break
		}
		at += i + len(noValue)
		for ; next < len(o.records) && o.records[next].offset < at; next++ {
			o.records[next].offset = min(o.records[next].offset, at-len(noValue)) - gone
		}
		gone += len(noValue)
	}
	for ; next < len(o.records); next++ {
		o.records[next].offset -= gone
	}
	o.Text = strings.ReplaceAll(o.Text, noValue, "")
}

// Lines gives for lines of the output, counted from 1 and ascending, the
// lines of the template that they come from; 0 where that is unknown. Output
// of an included template comes from the line that includes it.
func (o *Output) Lines(lines []int) []int {
	out := make([]int, len(lines))
	offset, line := 0, 1
	for i, want := range lines {
		for ; line < want && offset < len(o.Text); line++ {
			end := strings.IndexByte(o.Text[offset:], '\n')
			if end < 0 {
				break
			}
			offset += end + 1
		}
		out[i] = o.line(offset)
	}
	return out
}

func (o *Output) line(offset int) int {
	i := sort.Search(len(o.records), func(i int) bool { return o.records[i].offset > offset }) - 1
	if i < 0 {
		return 0
	}
	r := o.records[i]
	if !r.text {
		return r.line
	}
	return r.line + strings.Count(o.Text[r.offset:offset], "\n")
}
