// Command picture draws what a terminal showed as an SVG. It reads text with
// colours (ANSI) from standard input and writes the picture to standard output:
//
//	go run ./picture "what it shows, for those who do not see it" < images/up.ansi > images/up.svg
//
// The scripts beside it make the input.
//
// The picture brings its own background, so that it looks the same on light
// and dark pages.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"
)

// Sizes in pixels: of a character's cell, and of the frame around the text.
const (
	cellWidth  = 8.4
	cellHeight = 19
	baseline   = 14
	border     = 20
	titleBar   = 34
)

const (
	foreground = "#d7dde4"
	background = "#12161c"
)

// palette has the colours that the terminal's table uses, by their number.
var palette = map[string]string{
	"1": "#ff6b6b", "2": "#4cc38a", "3": "#f0b429", "9": "#ff6b6b", "10": "#4cc38a", "11": "#f0b429",
	"42": "#4cc38a", "203": "#ff6b6b", "214": "#f0b429", "245": "#8b95a1",
}

// span is text of one look, at a column of a line.
type span struct {
	column int
	text   string
	colour string
	bold   bool
}

func main() {
	label := "what a terminal shows"
	if len(os.Args) > 1 {
		label = os.Args[1]
	}
	if err := draw(os.Stdin, os.Stdout, label); err != nil {
		fmt.Fprintln(os.Stderr, "cannot draw the picture:", err)
		os.Exit(1)
	}
}

func draw(in io.Reader, out io.Writer, label string) error {
	var lines [][]span
	columns := 0
	look := span{colour: foreground}
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		line := spans(scanner.Text(), &look)
		for _, s := range line {
			columns = max(columns, s.column+len([]rune(s.text)))
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	_, err := io.WriteString(out, picture(lines, columns, label))
	return err
}

// spans cuts a line at its escape sequences; the look goes on in the next line.
func spans(line string, look *span) []span {
	var out []span
	column := 0
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b[")
		if text != "" {
			s := *look
			s.column, s.text = column, text
			out = append(out, s)
			column += len([]rune(text))
		}
		if !found {
			break
		}
		codes, after, _ := strings.Cut(rest, "m")
		look.apply(codes)
		line = after
	}
	return out
}

// apply takes the codes of one escape sequence.
func (s *span) apply(codes string) {
	parts := strings.Split(codes, ";")
	for i := 0; i < len(parts); i++ {
		switch code := parts[i]; {
		case code == "" || code == "0":
			s.bold, s.colour = false, foreground
		case code == "1":
			s.bold = true
		case code == "39":
			s.colour = foreground
		case code == "38" && i+2 < len(parts) && parts[i+1] == "5":
			s.colour = colourOf(parts[i+2])
			i += 2
		case len(code) == 2 && (code[0] == '3' || code[0] == '9'):
			s.colour = colourOf(code[1:])
		}
	}
}

func colourOf(number string) string {
	if c, ok := palette[number]; ok {
		return c
	}
	return foreground
}

func picture(lines [][]span, columns int, label string) string {
	width := int(float64(columns)*cellWidth) + 2*border
	height := titleBar + len(lines)*cellHeight + border
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(label))
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%d" height="%d" rx="8" fill="%s" stroke="#3a424d"/>`+"\n", width-1, height-1, background)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="5" fill="%s"/>`+"\n", border+18*i, colour)
	}
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">` + "\n")
	for row, line := range lines {
		for _, s := range line {
			s.write(&b, titleBar+row*cellHeight)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func (s span) write(b *strings.Builder, top int) {
	text := strings.TrimRight(s.text, " ")
	lead := len(text) - len(strings.TrimLeft(text, " "))
	text = text[lead:]
	if text == "" {
		return
	}
	x := border + float64(s.column+lead)*cellWidth
	cells := float64(len([]rune(text))) * cellWidth
	switch {
	case strings.Trim(text, "█") == "":
		fmt.Fprintf(b, `<rect x="%s" y="%d" width="%s" height="11" fill="%s"/>`+"\n", number(x), top+4, number(cells), s.colour)
		return
	case strings.Trim(text, "░") == "":
		fmt.Fprintf(b, `<rect x="%s" y="%d" width="%s" height="11" fill="%s" opacity="0.3"/>`+"\n", number(x), top+4, number(cells), s.colour)
		return
	}
	weight := ""
	if s.bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%s" y="%d" fill="%s"%s textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		number(x), top+baseline, s.colour, weight, number(cells), html.EscapeString(text))
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
