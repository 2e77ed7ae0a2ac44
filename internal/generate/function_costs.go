package generate

import (
	"math"
	"reflect"
	"strings"
)

// perItem is what an item of a list costs: it is there to be looped over.
const perItem = 40

// perRandom is what a random character costs: each is a number of its own.
const perRandom = 16

// costs tell how large the result of a call will be, for functions whose
// result may be far larger than what they are given.
var costs = map[string]func(args []reflect.Value) float64{
	"repeat":    func(a []reflect.Value) float64 { return number(a[0]) * size(a[1]) },
	"until":     func(a []reflect.Value) float64 { return perItem * max(number(a[0]), -number(a[0])) },
	"untilStep": func(a []reflect.Value) float64 { return steps(number(a[0]), number(a[1]), number(a[2])) },
	"seq":       sequence,
	"indent":    func(a []reflect.Value) float64 { return size(a[1]) + number(a[0])*lines(a[1]) },
	"nindent":   func(a []reflect.Value) float64 { return size(a[1]) + number(a[0])*lines(a[1]) },
	"replace": func(a []reflect.Value) float64 {
		return float64(strings.Count(a[2].String(), a[0].String())) * size(a[1])
	},
	"wrap": func(a []reflect.Value) float64 { return wrapping(number(a[0]), 1, a[1]) },
	"wrapWith": func(a []reflect.Value) float64 {
		return wrapping(number(a[0]), max(size(a[1]), 1), a[2]) // none is a line break
	},
	"splitList":    func(a []reflect.Value) float64 { return perPiece * pieces(a[0], a[1]) },
	"split":        func(a []reflect.Value) float64 { return perPiece * pieces(a[0], a[1]) },
	"splitn":       func(a []reflect.Value) float64 { return perPiece * firstPieces(a) },
	"randAlphaNum": func(a []reflect.Value) float64 { return perRandom * number(a[0]) },
	"randAlpha":    func(a []reflect.Value) float64 { return perRandom * number(a[0]) },
	"randAscii":    func(a []reflect.Value) float64 { return perRandom * number(a[0]) },
	"randNumeric":  func(a []reflect.Value) float64 { return perRandom * number(a[0]) },
	"randBytes":    func(a []reflect.Value) float64 { return 2 * number(a[0]) },
	// A constraint becomes many times of what is written.
	"semver":        func(a []reflect.Value) float64 { return perVersion * size(a[0]) },
	"semverCompare": func(a []reflect.Value) float64 { return perVersion * (size(a[0]) + size(a[1])) },
}

const (
	perPiece   = 16 // of a text that is split: what a list of them takes
	perVersion = 64
)

// wrapping is the cost of breaking a text into lines of a width. They end at
// its spaces, and within words that are longer.
func wrapping(width, separator float64, text reflect.Value) float64 {
	breaks := size(text)/max(width, 1) + float64(strings.Count(text.String(), " ")) + 1
	return size(text) + breaks*separator
}

func pieces(separator, text reflect.Value) float64 {
	return float64(strings.Count(text.String(), separator.String()))
}

// firstPieces are those of splitn: all of a text, or so many.
func firstPieces(args []reflect.Value) float64 {
	all, most := 1+pieces(args[0], args[2]), number(args[1])
	if most < 0 {
		return all
	}
	return min(all, most)
}

func number(v reflect.Value) float64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	default:
		return 0
	}
}

func size(v reflect.Value) float64 { return float64(len(v.String())) }

func lines(v reflect.Value) float64 { return float64(1 + strings.Count(v.String(), "\n")) }

func steps(from, to, by float64) float64 {
	const last = 1<<63 - 1<<20
	if math.Abs(to)+math.Abs(by) > last {
		return math.Inf(1) // the number after the last one is none of 64 bits
	}
	if by == 0 {
		return 0
	}
	return perItem * (to - from) / by
}

// sequence is the cost of seq, which is called with end, start and end, or
// start, step and end.
func sequence(args []reflect.Value) float64 {
	if len(args) != 1 {
		return 0
	}
	ends := args[0] // a variadic call hands over one slice
	switch ends.Len() {
	case 1:
		return perItem * max(number(ends.Index(0)), -number(ends.Index(0)))
	case 2:
		span := number(ends.Index(1)) - number(ends.Index(0))
		return perItem * max(span, -span)
	case 3:
		return steps(number(ends.Index(0)), number(ends.Index(2)), number(ends.Index(1)))
	default:
		return 0
	}
}
