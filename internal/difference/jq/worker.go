package jq

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/causeway-gitops/causeway/internal/memlimit"
)

const (
	// workerMark in the environment makes a process a worker. Its value is how many
	// bytes that may hold.
	workerMark = "CAUSEWAY_JQ_WORKER"
	// maxAnswer bounds what a worker says, in bytes.
	maxAnswer = 16 << 20
	// exitTime is the exit code of a worker in which something does not end.
	exitTime = 98
)

// hooked tells that this executable can be a worker.
var hooked atomic.Bool

// Worker makes this process a worker if it was started as one, and does not
// return then. It belongs to the beginning of main, and of TestMain: where it
// is missing, all expressions are evaluated inside the engine.
func Worker() {
	text := os.Getenv(workerMark)
	if text == "" {
		hooked.Store(true)
		return
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil || bytes <= 0 {
		os.Exit(1)
	}
	endIfOrphan()
	memlimit.Memory(bytes)
	var began atomic.Pointer[clock]
	go memlimit.Watch(bytes, func() { // ends with the process: an evaluation does not notice that nobody waits for it, either
		endIfOrphan()
		endIfLate(began.Load())
	})
	if err := serve(os.Stdin, os.Stdout, &began); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// endIfOrphan ends the process where the one that asks is gone.
func endIfOrphan() {
	if memlimit.Orphan() {
		os.Exit(1)
	}
}

// endIfLate ends the process where an evaluation did not see that its time is
// over: functions of the interpreter do not look.
func endIfLate(began *clock) {
	if began != nil && began.over(2*within, patience+within) {
		os.Exit(exitTime)
	}
}

// serve answers questions, a line each, until the input ends.
func serve(in io.Reader, out io.Writer, began *atomic.Pointer[clock]) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c := newClock()
		began.Store(c)
		text, err := reply(line, c)
		began.Store(nil)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

// reply answers one question.
func reply(line []byte, c *clock) ([]byte, error) {
	var about question
	if err := utiljson.Unmarshal(line, &about); err != nil {
		return nil, err
	}
	a, err := answered(about, c)
	if err != nil {
		a = &answer{Stopped: err.Error()}
	}
	text, err := json.Marshal(&answer{Paths: a.Paths, Object: exactObject(a.Object), Failure: a.Failure, Stopped: a.Stopped, Took: c.took()})
	if err != nil {
		return json.Marshal(answer{Failure: kindOf(errNoJSON), Took: c.took()})
	}
	if len(text) > maxAnswer {
		return json.Marshal(answer{Stopped: errNames.Error(), Took: c.took()})
	}
	return text, nil
}

// answered evaluates; a panic of the interpreter is a failure of the expression.
func answered(about question, c *clock) (a *answer, err error) {
	defer func() {
		if recover() != nil {
			a, err = &answer{Failure: kindOf(errGaveUp)}, nil
		}
	}()
	q, err := Parse("", "", about.Text)
	if err != nil {
		return nil, err
	}
	limited, cancel := c.within(context.Background())
	defer cancel()
	return q.evaluate(limited, about)
}

// exactObject is an object whose numbers keep their type on the way.
func exactObject(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out, _ := exact(object).(map[string]any)
	return out
}

func exact(v any) any {
	switch v := v.(type) {
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return json.Number(text)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = exact(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = exact(item)
		}
		return out
	}
	return v
}
