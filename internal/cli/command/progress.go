package command

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress tells how far long work is: one line that is written over on a
// terminal, now and then a line elsewhere.
type Progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	last  time.Time
	drawn bool
}

// Times between two tellings: nothing is told of what ends soon.
const (
	redraw   = 100 * time.Millisecond
	telling  = 5 * time.Second
	barWidth = 24 // columns
)

// NewProgress shows progress on an output.
func NewProgress(out io.Writer) *Progress {
	return &Progress{out: progressOf(out), terminal: Terminal(out), now: time.Now, last: time.Now()}
}

// Show tells that done of total are done.
func (p *Progress) Show(stage string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := telling
	if p.terminal {
		pause = redraw
	}
	if now := p.now(); now.Sub(p.last) >= pause {
		p.last = now
		p.draw(stage, done, total)
	}
}

func (p *Progress) draw(stage string, done, total int) {
	if !p.terminal {
		_, _ = fmt.Fprintf(p.out, "%s: %d of %d\n", stage, done, total)
		return
	}
	filled := 0
	if total > 0 {
		filled = min(barWidth, done*barWidth/total)
	}
	bar := strings.Repeat("█", filled) + strings.Repeat("░", barWidth-filled)
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%-8s %s %d/%d", stage, bar, done, total)
	p.drawn = true
}

// End removes the line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
		p.drawn = false
	}
}
