package helm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

const (
	// maxEntries are what the lists have together that parameters make: an
	// index makes all entries before it.
	maxEntries = 128 << 10
	// maxIndices are those of one name. As many dots are what Helm takes.
	maxIndices = 30
)

var (
	errIndices = fmt.Errorf("a name has more than %d indices", maxIndices)
	errEntries = errors.New("the lists that parameters make have too many entries")
)

// admit bounds what parameters ask for. Names and values may hold further names,
// as those of --set do.
func admit(s *source.Source, set []assignment, files []v1alpha1.HelmFileParameter) error {
	made := lists{}
	for _, a := range set {
		if err := made.add(a.set); err != nil {
			return problem(s, "cannot set helm parameter %s: %w", shortened(a.name), err).Do("correct helm.parameters")
		}
	}
	for _, p := range files {
		if err := made.add(p.Name + "="); err != nil {
			return problem(s, "cannot set helm parameter %s: %w", shortened(p.Name), err).Do("correct helm.fileParameters")
		}
	}
	return nil
}

// lists are the entries that each list has at least, by what stands before the
// index.
type lists map[string]int

// add reads the indices of what --set is given, name=value and whatever comes
// behind a comma, as its parser does.
func (l lists) add(text string) error {
	for text != "" {
		name := nameOf(text)
		if err := l.name(text[:name]); err != nil {
			return err
		}
		text = text[name+valueOf(text[name:]):]
	}
	if l.entries() > maxEntries {
		return errEntries
	}
	return nil
}

// name counts the indices of a name.
func (l lists) name(name string) error {
	indices := 0
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '[':
			if indices++; indices > maxIndices {
				return errIndices
			}
			number, length := index(name[i+1:])
			l[name[:i]] = max(l[name[:i]], number+1)
			i += length
		}
	}
	return nil
}

func (l lists) entries() int {
	sum := 0
	for _, n := range l {
		sum += min(n, maxEntries+1)
	}
	return sum
}

// nameOf is the length of a name with the sign behind it.
func nameOf(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			_, length := index(text[i+1:])
			i += length
		case '=', ',':
			return i + 1
		}
	}
	return len(text)
}

// valueOf is the length of a value: up to a comma, or of a list in braces.
func valueOf(text string) int {
	end := byte(',')
	if strings.HasPrefix(text, "{") {
		end = '}'
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case end:
			return i + 1
		}
	}
	return len(text)
}

// index is the number up to the closing bracket, and the length of its text.
// What is no number is the parser's to refuse.
func index(text string) (number, length int) {
	var digits strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) {
				digits.WriteByte(text[i])
			}
		case ']':
			number, _ = strconv.Atoi(digits.String())
			return max(number, 0), i
		default:
			digits.WriteByte(text[i])
		}
	}
	return 0, len(text)
}

// alone bounds the lists of parameters that are looked at one by one: each
// makes its own.
type alone int

// maxAlone are the entries that these lists have together.
const maxAlone = 4 << 20

func (a *alone) add(text string) error {
	own := lists{}
	if err := own.add(text); err != nil {
		return err
	}
	if *a += alone(own.entries()); *a > maxAlone {
		return errEntries
	}
	return nil
}
