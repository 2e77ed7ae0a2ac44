package engine

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// numbers are the functions that make lists of numbers.
func (s *state) numbers() template.FuncMap {
	return template.FuncMap{
		"until": func(count int) ([]int, error) {
			if count < 0 {
				return s.between(0, count, -1)
			}
			return s.between(0, count, 1)
		},
		"untilStep": s.between,
		"seq":       s.seq,
	}
}

// between are the numbers from start to before stop; none for a step that
// leads nowhere.
func (s *state) between(start, stop, step int) ([]int, error) {
	if step == 0 || start == stop || (step > 0) != (start < stop) {
		return []int{}, nil
	}
	items := (float64(stop) - float64(start)) / float64(step)
	if items > maxItems {
		return nil, &limitError{fmt.Sprintf("a list of numbers from %d to %d would have more than %d items", start, stop, maxItems)}
	}
	if err := s.produce(8 * int64(items)); err != nil {
		return nil, err
	}
	out := make([]int, 0, int(items)+1)
	for i := start; (step > 0) == (i < stop) && i != stop; {
		out = append(out, i)
		next := i + step
		if (next > i) != (step > 0) {
			break // the next is no number of 64 bits
		}
		i = next
	}
	return out, nil
}

// seq are the numbers as a text, the last included, as the shell's seq.
func (s *state) seq(params ...int) (string, error) {
	start, step := 1, 0
	var end int
	switch len(params) {
	case 1:
		end = params[0]
	case 2:
		start, end = params[0], params[1]
	case 3:
		start, step, end = params[0], params[1], params[2]
	default:
		return "", nil
	}
	direction := 1
	if end < start {
		direction = -1
	}
	if len(params) < 3 {
		step = direction
	}
	list, err := s.between(start, end+direction, step)
	if err != nil {
		return "", err
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return s.made(strings.Join(words, " "), nil)
}
