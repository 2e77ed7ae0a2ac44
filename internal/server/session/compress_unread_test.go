package session

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/test/await"
)

// wire is an answer that nobody reads until it is cut off.
type wire struct {
	*httptest.ResponseRecorder

	begun, cut chan struct{}
}

func (w *wire) Write([]byte) (int, error) {
	close(w.begun)
	<-w.cut
	return 0, os.ErrDeadlineExceeded
}

func (w *wire) SetWriteDeadline(at time.Time) error {
	if at.Before(time.Now()) {
		close(w.cut)
	}
	return nil
}

// Answers that are kept back, and those that are too long for it, are on the
// account for as long as they are not read.
func TestUnreadAnswersAreOnTheAccount(t *testing.T) {
	for name, size := range map[string]int{"Kept": tagged / 2, "Passed": 2 * tagged} {
		t.Run(name, func(t *testing.T) {
			never := func(*http.Request) bool { return false }
			answers := Compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(bytes.Repeat([]byte("x"), size))
			}), never)
			bound := size + size/2
			h := backpressure.New(origin.Share{All: bound, Site: bound, Network: bound}, nil).Wrap(answers)
			ask := func(w http.ResponseWriter) {
				h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
			}
			w, end := &wire{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}, make(chan struct{})
			go func() { defer close(end); ask(w) }()
			<-w.begun
			read := httptest.NewRecorder()
			ask(read)
			<-end
			if read.Code != http.StatusOK || read.Body.Len() != size {
				t.Errorf("who reads gets %d with %d of %d bytes", read.Code, read.Body.Len(), size)
			}
		})
	}
}

// What is kept back of an answer is on the account while the rest of it is being
// made, and who is cut off then has no more of it kept.
func TestAnswersInTheMakingAreOnTheAccount(t *testing.T) {
	const size, bound = tagged / 2, tagged / 2 * 3 / 2
	begun, cut := make(chan struct{}), make(chan error, 1)
	answers := Compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := bytes.Repeat([]byte("x"), size)
		_, _ = w.Write(part)
		if r.URL.Path != "/waits" {
			return
		}
		close(begun)
		select {
		case <-r.Context().Done():
		case <-time.After(await.Limit):
		}
		_, err := w.Write(part)
		cut <- err
	}), never)
	h := backpressure.New(origin.Share{All: bound, Site: bound, Network: bound}, nil).Wrap(answers)
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	end := make(chan struct{})
	go func() { defer close(end); ask("/waits") }()
	<-begun
	if whole := ask("/"); whole.Code != http.StatusOK || whole.Body.Len() != size {
		t.Errorf("the other one gets %d with %d of %d bytes", whole.Code, whole.Body.Len(), size)
	}
	if err := <-cut; !errors.Is(err, backpressure.ErrCut) {
		t.Errorf("what is kept back and waits goes on with %v", err)
	}
	<-end
}
