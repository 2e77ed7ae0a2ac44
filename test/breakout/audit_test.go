package breakout

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/await"
)

// request is what the API server's audit log says of one.
type request struct {
	Verb string `json:"verb"`
	URI  string `json:"requestURI"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	As struct {
		Username string `json:"username"`
	} `json:"impersonatedUser"`
	Object struct {
		Group       string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
}

// String is what tells it from others of its kind.
func (r request) String() string {
	path, _, _ := strings.Cut(r.URI, "?")
	if r.As.Username != "" {
		return fmt.Sprintf("%s %s as %s", r.Verb, path, r.As.Username)
	}
	return r.Verb + " " + path
}

// reads reports whether the request changes nothing.
func (r request) reads() bool {
	return r.Verb == "get" || r.Verb == "list" || r.Verb == "watch" || strings.HasPrefix(r.Object.Resource, "selfsubject") || r.Object.Resource == ""
}

// log reads an audit log from where it was left.
type log struct {
	path  string
	at    int64
	marks int
}

// since returns what was asked since the last time, up to a mark that it sets: requests are logged once they are answered.
func (l *log) since(t *testing.T, mark func(ctx context.Context, name string)) []request {
	t.Helper()
	l.marks++
	name := fmt.Sprintf("mark-%d", l.marks)
	mark(t.Context(), name)
	var all []request
	await.Until(t, func(context.Context) error {
		more, err := l.read()
		all = append(all, more...)
		if err != nil {
			return err
		}
		if !tells(all, name) {
			return fmt.Errorf("the audit log does not tell of %s", name)
		}
		return nil
	})
	return all
}

func tells(all []request, name string) bool {
	for _, r := range all {
		if r.Object.Name == name {
			return true
		}
	}
	return false
}

// read takes the whole lines that are there.
func (l *log) read() ([]request, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(l.at, io.SeekStart); err != nil {
		return nil, err
	}
	var all []request
	for lines := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return all, nil // the rest of a line comes the next time
		}
		l.at += int64(len(line))
		var r request
		if err := json.Unmarshal(bytes.TrimSpace(line), &r); err != nil {
			return all, err
		}
		all = append(all, r)
	}
}
