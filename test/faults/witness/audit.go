package witness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Request is one write of the engine that the API server carried out.
type Request struct {
	Received, Answered time.Time
	Verb               string
	Resource           string
	Namespace, Name    string
	Code               int
}

// Created reports whether the request made a new object.
func (r Request) Created() bool { return r.Code == 201 }

// event is what the audit log says of a request, as far as it is needed.
type event struct {
	Verb         string    `json:"verb"`
	RequestURI   string    `json:"requestURI"`
	Received     time.Time `json:"requestReceivedTimestamp"`
	Answered     time.Time `json:"stageTimestamp"`
	Impersonated struct {
		Username string `json:"username"`
	} `json:"impersonatedUser"`
	Object struct {
		Resource    string `json:"resource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Audit reads the engine's writes from an audit log, the parts that were put
// aside when it grew included, in the order in which they were received.
// Requests that were refused and dry runs are left out.
func Audit(log, user string) ([]Request, error) {
	files, err := filepath.Glob(strings.TrimSuffix(log, ".log") + "*.log")
	if err != nil {
		return nil, err
	}
	var all []Request
	for _, name := range files {
		if all, err = readAudit(all, name, user); err != nil {
			return nil, fmt.Errorf("cannot read the audit log: %w", err)
		}
	}
	slices.SortStableFunc(all, func(a, b Request) int { return a.Received.Compare(b.Received) })
	return all, nil
}

func readAudit(all []Request, name, user string) ([]Request, error) {
	f, err := os.Open(name)
	if err != nil {
		return all, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	mark := []byte(`"` + user + `"`)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return all, nil // the end, or a line that a kill cut short
		}
		if !bytes.Contains(line, mark) || bytes.Contains(line, []byte(`"verb":"get"`)) || bytes.Contains(line, []byte(`"verb":"watch"`)) {
			continue
		}
		var e event
		if json.Unmarshal(line, &e) != nil || e.Impersonated.Username != user || !wrote(e) {
			continue
		}
		all = append(all, Request{
			Received: e.Received, Answered: e.Answered, Verb: e.Verb,
			Resource: e.Object.Resource, Namespace: e.Object.Namespace, Name: e.Object.Name, Code: e.Response.Code,
		})
	}
}

func wrote(e event) bool {
	switch e.Verb {
	case "create", "patch", "update", "delete", "deletecollection":
	default:
		return false
	}
	return e.Response.Code < 300 && e.Object.Subresource == "" && !strings.Contains(e.RequestURI, "dryRun=")
}
