package kubelet

import (
	"io"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// printer writes the lines that were asked for.
type printer struct {
	out        io.Writer
	flush      func()
	since      time.Time
	timestamps bool
	limited    bool
	left       int64 // bytes that may still be written, if limited
	silent     bool
}

func newPrinter(w http.ResponseWriter, options *corev1.PodLogOptions) *printer {
	p := &printer{out: w, flush: func() {}, timestamps: options.Timestamps}
	if flusher, ok := w.(http.Flusher); ok {
		p.flush = flusher.Flush
	}
	if options.SinceTime != nil {
		p.since = options.SinceTime.Time
	}
	if options.SinceSeconds != nil {
		p.since = time.Now().Add(-time.Duration(*options.SinceSeconds) * time.Second)
	}
	if options.LimitBytes != nil {
		p.limited, p.left = true, *options.LimitBytes
	}
	p.silent = ptr.Deref(options.Stream, corev1.LogStreamAll) == corev1.LogStreamStderr // everything is standard output
	return p
}

// tail prints the last of the lines; a nil count means all.
func (p *printer) tail(lines []line, count *int64) {
	recent := slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return l.at.Before(p.since) })
	if count != nil && *count < int64(len(recent)) {
		recent = recent[len(recent)-int(max(*count, 0)):]
	}
	p.print(recent)
}

// print writes lines and sends them off. A reader that is gone shows as the end of its request, not here.
func (p *printer) print(lines []line) {
	for _, l := range lines {
		text := l.text + "\n"
		if p.timestamps {
			text = l.at.UTC().Format(time.RFC3339Nano) + " " + text
		}
		if p.limited {
			text = text[:min(int64(len(text)), p.left)]
			p.left -= int64(len(text))
		}
		if !p.silent {
			_, _ = io.WriteString(p.out, text)
		}
	}
	p.flush()
}

// full tells that nothing more may be written.
func (p *printer) full() bool { return p.limited && p.left == 0 }
