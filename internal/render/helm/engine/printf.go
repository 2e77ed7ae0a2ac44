package engine

import "fmt"

// printf is fmt.Sprintf within the limits: widths and repeated arguments make
// much of little.
func (s *state) printf(format string, args ...any) (string, error) {
	size, err := s.measure(args...)
	if err != nil {
		return "", err
	}
	if err := s.fits(formatted(format, size)); err != nil {
		return "", err
	}
	return s.made(fmt.Sprintf(format, args...), nil)
}

// maxWidth is the largest width that fmt takes.
const maxWidth = 1_000_000

// formatted is the most bytes that a format can give with arguments of a size.
func formatted(format string, args int64) int64 {
	widths, verbs, factor, again := int64(0), int64(1), int64(1), false
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		verbs++
		number := int64(0)
	verb:
		for i++; i < len(format); i++ {
			switch c := format[i]; c {
			case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
				number = min(number*10+int64(c-'0'), maxWidth)
			case '*':
				widths += maxWidth
			case '.', '[', ']':
				widths, number = widths+number, 0
				again = again || c == '['
			case ' ', '+', '-', '#':
				factor = 10
			case 'q', 'x', 'X', 'U', 'b':
				factor = 10
				break verb
			default:
				break verb
			}
		}
		widths += number
	}
	if again {
		factor *= verbs
	}
	return int64(len(format)) + widths + int64(float64(factor)*float64(args+64))
}
