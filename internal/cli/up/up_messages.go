package up

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
)

// answerTime is how long pages may take to answer before they are asked again.
const answerTime = 10 * time.Second

// teller prints texts for good while a fleet is shown: above the table on a
// terminal, else to standard output.
type teller struct {
	streams command.Streams
	notes   chan string
	mu      sync.Mutex // one text at a time
}

func newTeller(s command.Streams) *teller { return &teller{streams: s, notes: make(chan string)} }

func (t *teller) tell(ctx context.Context, text string) error {
	if detached() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !command.Terminal(t.streams.Err) || !command.Terminal(t.streams.Out) {
		_, err := io.WriteString(t.streams.Out, text)
		return err
	}
	select {
	case t.notes <- text:
	case <-ctx.Done():
	}
	return nil
}

// signIn tells how to sign in as soon as the pages answer: who looks for what
// is wrong with a fleet need not wait until nothing is.
func (t *teller) signIn(ctx context.Context, home local.Home) error {
	ticker := time.NewTicker(settlePoll)
	defer ticker.Stop()
	for {
		in, err := home.SignIn()
		if err == nil && in != nil && in.URL != "" && pagesAnswer(ctx, in.URL) {
			return t.tell(ctx, "\n"+browserLine(in)+"\n")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// pagesAnswer reports whether pages are served at a URL.
func pagesAnswer(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", http.NoBody)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is this machine
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// browserLine says where the pages are and how to sign in.
func browserLine(in *local.SignIn) string {
	how := "with " + in.Password
	if in.Password == "" {
		how = "with the password that was set since the first start"
	}
	return fmt.Sprintf("  in the browser: %s   # sign in as %s %s\n", in.URL, in.Username, how)
}
