package helm

import (
	"fmt"
	"strings"
	"text/template"
)

// maxLoop bounds what one call of a template function may make.
const maxLoop = 1_000_000

// bounded replaces the functions by which a few characters of a template
// could take all memory.
func bounded() template.FuncMap {
	return template.FuncMap{"until": until, "untilStep": untilStep, "repeat": repeat}
}

func until(count int) ([]int, error) {
	if count < 0 {
		return untilStep(0, count, -1)
	}
	return untilStep(0, count, 1)
}

func untilStep(start, stop, step int) ([]int, error) {
	if step == 0 || (step > 0) != (start < stop) {
		return []int{}, nil
	}
	if (stop-start)/step > maxLoop {
		return nil, fmt.Errorf("a list from %d to %d is too long", start, stop)
	}
	var out []int
	for i := start; (step > 0) == (i < stop) && i != stop; i += step {
		out = append(out, i)
	}
	return out, nil
}

func repeat(count int, text string) (string, error) {
	if count > maxOutput/(len(text)+1) {
		return "", fmt.Errorf("a text repeated %d times is too long", count)
	}
	return strings.Repeat(text, max(count, 0)), nil
}
