package listener

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What is being answered when the engine ends is answered still, and nobody comes in
// any more; what the answers use is there until then.
func TestAnswersEndWithTheEngine(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	l, begun := listening(t), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		_, _ = io.WriteString(w, "bye")
	})
	ended := make(chan error, 1)
	go func() { ended <- (&At{Listener: l}).Answer(ctx, &Transport{}, handler, origin.NewKnown()) }()
	answered := make(chan string, 1)
	go func() {
		request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://"+l.Addr().String(), nil)
		if err != nil {
			answered <- err.Error()
			return
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body) // what is missing shows
		answered <- string(text)
	}()
	<-begun
	end()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if text := <-answered; text != "bye" {
		t.Errorf("who was being answered read %q", text)
	}
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("somebody comes in after the end")
	}
}

// An address that is taken names the flag that chooses another one.
func TestAddressThatIsTaken(t *testing.T) {
	l := listening(t)
	defer l.Close()
	at := &At{Listen: l.Addr().String()}
	err := at.Answer(t.Context(), &Transport{}, http.NotFoundHandler(), nil)
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()) || !strings.Contains(err.Error(), "--serve") {
		t.Errorf("it says %v", err)
	}
}
