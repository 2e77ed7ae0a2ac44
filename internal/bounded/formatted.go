package bounded

import "reflect"

// widest is the largest width that fmt takes.
const widest = 1_000_000

// Formatted is the most bytes that fmt gives for a format and arguments, which
// are measured: widths and repeated arguments make much of little. A width is
// that of each item of an argument.
func Formatted(format string, size Print, args ...any) int64 {
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
				number = min(number*10+int64(c-'0'), widest)
			case '*':
				widths += widthIn(args)
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
	return int64(len(format)) + int64(float64(widths)*float64(max(size.Items, 1))) + int64(float64(factor)*float64(size.Bytes+64))
}

// widthIn is the largest width that is among arguments.
func widthIn(args []any) int64 {
	most := int64(0)
	for _, a := range args {
		v := reflect.ValueOf(a)
		switch {
		case v.CanInt():
			most = max(most, min(v.Int(), widest), min(-max(v.Int(), -widest), widest))
		case v.CanUint():
			most = max(most, int64(min(v.Uint(), widest)))
		}
	}
	return most
}
