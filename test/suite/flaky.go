package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// flakyFile is where people write down what passed only at its second try.
const flakyFile = "test/flaky.md"

// flakyBook counts how often a test stands in the book, by package and name.
type flakyBook map[string]int

// readFlaky reads the table of the book: date, package, test, first error. A
// test that was mended is taken out.
func readFlaky(path string) (flakyBook, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return flakyBook{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	book := flakyBook{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(text, "| 2") { // a row begins with its year
			continue
		}
		cells := strings.Split(strings.Trim(text, "|"), "|")
		const least = 4
		if len(cells) < least {
			return nil, fmt.Errorf("%s:%d: write | date | package | test | first error |", path, number)
		}
		book[strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2])]++
	}
	return book, lines.Err()
}

// twice are the tests that stand there twice: they are mended before anything else lands.
func (b flakyBook) twice() []string {
	var out []string
	for name, times := range b {
		if times > 1 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
