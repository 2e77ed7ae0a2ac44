package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// pipes carry the outputs of a command here.
type pipes struct {
	here, there []*os.File
	to          []io.Writer
	copies      sync.WaitGroup
	ended       chan struct{}
}

// connect gives a command its outputs.
func connect(cmd *exec.Cmd, out, stderr io.Writer) (*pipes, error) {
	p := &pipes{ended: make(chan struct{}), to: []io.Writer{out, stderr}}
	for range p.to {
		here, there, err := os.Pipe()
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.here, p.there = append(p.here, here), append(p.there, there)
	}
	cmd.Stdout, cmd.Stderr = p.there[0], p.there[1]
	return p, nil
}

// begin copies, once the command has its ends.
func (p *pipes) begin() {
	for i, from := range p.here {
		_ = p.there[i].Close()
		p.copies.Go(func() { _, _ = io.Copy(p.to[i], from) }) // until its end, or until it is closed
	}
	go func() { // ends with the copies, which finish waits for
		p.copies.Wait()
		close(p.ended)
	}()
}

// drained waits for what is still written once the command has ended.
func (p *pipes) drained() {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
	}
}

// finish stops copying, whoever holds the other ends.
func (p *pipes) finish() {
	_ = p.close()
	<-p.ended
}

func (p *pipes) close() error {
	var err error
	for _, f := range append(p.here, p.there...) {
		err = errors.Join(err, f.Close())
	}
	return err
}
