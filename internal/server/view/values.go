package view

import "slices"

// values are those of a facet by their numbers, which rows have in their place.
// A value goes with the last row that has it: who writes one Application may
// write others into it without end.
type values struct {
	numbers map[string]int
	// all has them by their numbers; empty for one that is free. States share
	// it: what is in it is not changed.
	all  []string
	rows []int // how many have each
	free []int
}

// take is the number of a value that one row more has.
func (v *values) take(value string) int {
	n, known := v.numbers[value]
	if !known {
		n = v.place(value)
		v.numbers[value] = n
	}
	v.rows[n]++
	return n
}

func (v *values) place(value string) int {
	last := len(v.free) - 1
	if last < 0 {
		v.all, v.rows = append(v.all, value), append(v.rows, 0)
		return len(v.all) - 1
	}
	n := v.free[last]
	v.free = v.free[:last]
	v.set(n, value)
	return n
}

// give tells that a row has a value no more.
func (v *values) give(n int) {
	if v.rows[n]--; v.rows[n] > 0 {
		return
	}
	delete(v.numbers, v.all[n])
	v.set(n, "")
	v.free = append(v.free, n)
}

func (v *values) set(n int, value string) {
	v.all = slices.Clone(v.all)
	v.all[n] = value
}
