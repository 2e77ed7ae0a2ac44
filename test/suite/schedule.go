package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// crowd is how many times its cores a machine is given to do: much of what tests do is waiting.
const crowd = 1.5

// suite is one run.
type suite struct {
	out  io.Writer
	logs string
	book flakyBook

	began time.Time
	ended []ended
}

// ended is a task with what came of it.
type ended struct {
	task
	took time.Duration
	result

	// mended are those of its failures that passed at the second try. They are its own: another task may run the same
	// test in another way, or other tests of the same package.
	mended []outcome
}

// runAll runs all tasks, as many at a time as the cores carry, the longest first.
func (s *suite) runAll(ctx context.Context, tasks []task) {
	s.began = time.Now()
	pending := slices.Clone(tasks)
	slices.SortStableFunc(pending, func(a, b task) int { return int(b.usual - a.usual) })
	room, running := crowd*float64(runtime.NumCPU()), 0
	done := make(chan ended)
	for len(pending)+running > 0 {
		next := slices.IndexFunc(pending, func(t task) bool { return t.load <= room || running == 0 })
		if next >= 0 && ctx.Err() == nil {
			t := pending[next]
			pending = slices.Delete(pending, next, next+1)
			room -= t.load
			running++
			go func() { done <- s.runOne(ctx, t) }() // awaited below
			continue
		}
		if running == 0 {
			return // interrupted
		}
		e := <-done
		room += e.load
		running--
		s.ended = append(s.ended, e)
		s.tell(e)
	}
}

// runOne runs a task.
func (s *suite) runOne(ctx context.Context, t task) ended {
	began := time.Now()
	var r result
	err := s.logged(t.name, func(log io.Writer) { r = t.work.do(ctx, log) })
	if err != nil {
		r.cases = append(r.cases, outcome{Package: t.name, Status: failed, First: err.Error(), whole: true})
	}
	return ended{task: t, took: time.Since(began), result: r}
}

var notInFiles = regexp.MustCompile(`[^A-Za-z0-9]+`)

// logged calls do with a log of that name.
func (s *suite) logged(name string, do func(io.Writer)) error {
	path := filepath.Join(s.logs, notInFiles.ReplaceAllString(name, "-")+".log")
	log, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot write a log: %w", err)
	}
	do(log)
	return log.Close()
}
