package rights

import (
	"context"
	"fmt"
	"sync"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// How many questions are with the API server at a time, of which one person has
// questionsEach: the engine asks them by its own account, beside all else that it
// does there, and anybody makes up as many as there are names.
const (
	questionsAtOnce = 16
	questionsEach   = 4
)

// questions are those that are asked now: each once for all who wait for its answer,
// when it is the turn of whom it is about. They are safe for concurrent use.
type questions struct {
	places *slots.Slots

	mu   sync.Mutex
	open map[string]*question
}

// question is one of them.
type question struct {
	done chan struct{}
	// answer is there when it is done.
	answer bool

	// waiting is how many wait for the answer, and begun that it has a place; forgo
	// ends the wait for one. The lock of all questions is for them.
	waiting int
	begun   bool
	forgo   context.CancelFunc
}

func newQuestions() *questions {
	return &questions{places: slots.Shares(questionsAtOnce, questionsEach), open: map[string]*question{}}
}

// join makes somebody one of those who wait for an answer, until they leave. Ask is
// called for all of them: with the values of ctx, and not by its end.
func (q *questions) join(ctx context.Context, key, person string, ask func(context.Context) bool) *question {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.open[key]
	if one == nil {
		lasting := context.WithoutCancel(ctx)
		waiting, forgo := context.WithCancel(lasting)
		one = &question{done: make(chan struct{}), forgo: forgo}
		q.open[key] = one
		go q.put(waiting, key, person, one, func() bool { return ask(lasting) }) // it ends with the answer, or with the last who waits
	}
	one.waiting++
	return one
}

// leave takes off one who does not wait any more. A question for which nobody waits
// is not begun: who asks the same later does so anew.
func (q *questions) leave(key string, one *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if one.waiting--; one.waiting == 0 && !one.begun {
		delete(q.open, key)
		one.forgo()
	}
}

// put waits for a place and asks.
func (q *questions) put(waiting context.Context, key, person string, one *question, ask func() bool) {
	defer one.forgo()
	whose, err := q.places.Take(waiting, slots.Of(person))
	if err != nil {
		return // nobody waits
	}
	defer q.places.Give(whose)
	if !q.begin(one) {
		return
	}
	defer q.end(key, one)
	_ = crew.Safely(func() error { // after a panic the answer is no
		one.answer = ask()
		return nil
	})
}

// begin reports whether anybody still waits for the answer.
func (q *questions) begin(one *question) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	one.begun = one.waiting > 0
	return one.begun
}

func (q *questions) end(key string, one *question) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, key)
	close(one.done)
}

// busy asks to come back when others have their answers: nobody knows yet what
// somebody may do. It is session.ErrBusy.
type busy struct{}

// Error implements error.
func (busy) Error() string {
	return fmt.Sprintf("what you may do could not be asked of Kubernetes yet: %d questions are asked at a time, of which you have %d; ask for less at a time, or try again later", questionsAtOnce, questionsEach)
}

// Is makes it session.ErrBusy.
func (busy) Is(target error) bool { return target == session.ErrBusy }
