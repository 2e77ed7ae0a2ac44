package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Hosts say in several forms what is wrong: people are shown it, whatever stands
// beside it.
func TestWhatHostsSay(t *testing.T) {
	const status = "the server answers 422 Unprocessable Entity"
	for name, tc := range map[string]struct{ reason, body, want string }{
		"Message":   {"as GitHub and GitLab say it", `{"message":"no such label"}`, status + ": no such label"},
		"Strings":   {"Gitea has texts for errors beside it", `{"message":"not there","errors":["GetUserByName"],"url":"x"}`, status + ": not there"},
		"OnlyTexts": {"or texts alone", `{"errors":["it is empty"]}`, status + ": it is empty"},
		"Errors":    {"Bitbucket Server lists them", `{"errors":[{"context":null,"message":"a"},{"message":"b"}]}`, status + ": a"},
		"Both":      {"what is said of all comes before them", `{"errors":[{"message":"a"}],"message":"all of it"}`, status + ": all of it"},
		"Inside":    {"Bitbucket Cloud has an object", `{"type":"error","error":{"message":"gone"}}`, status + ": gone"},
		"OAuth":     {"a text for people comes before a word for programs", `{"error":"invalid_token","error_description":"it was revoked"}`, status + ": it was revoked"},
		"Word":      {"and a word is better than nothing", `{"error":"invalid_token"}`, status + ": invalid_token"},
		"Fields":    {"GitLab has fields where others have a text", `{"message":{"name":["is taken"]},"error":"Bad Request"}`, status + ": Bad Request"},
		"Number":    {"what is no text is not said", `{"message":7,"errors":7,"error":[]}`, status},
		"HTML":      {"nor is a page", `<html>422</html>`, status},
		"List":      {"nor another form of JSON", `["no"]`, status},
		"Null":      {"nor nothing", `{"message":null,"errors":null}`, status},
		"Lines":     {"it is one line, without what moves a terminal's cursor", `{"message":" a\n\tb\u001b[2Jc "}`, status + ": a b [2Jc"},
		"Long":      {"and a short one", `{"message":"` + strings.Repeat("ä", 300) + `"}`, status + ": " + strings.Repeat("ä", 200) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			server.Fail(hosttest.Answer(http.StatusUnprocessableEntity, tc.body))
			_, err := send(t.Context(), open(t, wire.Options{Clock: hosttest.NewClock(noon)}), "GET", server.URL+"/x", "")
			if err == nil || !strings.HasSuffix(err.Error(), tc.want) || wire.Code(err) != http.StatusUnprocessableEntity {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// Who has to correct something is told what: the token, the name, or nothing that
// they could.
func TestWhatToDoAboutAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, fix string
		code        int
		kind        gitops.ProblemKind
		want        string
	}{
		"Token":   {"the Secret is named where it is known", "check the token in team/scm", http.StatusUnauthorized, gitops.Refused, "check the token in team/scm"},
		"Unknown": {"and the token where it is not", "", http.StatusForbidden, gitops.Refused, "check the token and what it may read"},
		"Proxy":   {"a proxy that wants to know who asks refuses, too", "", http.StatusProxyAuthRequired, gitops.Refused, "check the token and what it may read"},
		"Gone":    {"what was there is as what never was", "check the token in team/scm", http.StatusGone, gitops.NotFound, "check the name, and that the token may see it"},
		"Waits":   {"a server that gave up waiting may not next time", "", http.StatusRequestTimeout, gitops.Unreachable, ""},
		"Broken":  {"a server that is broken is nobody's to correct here", "check the token in team/scm", http.StatusNotImplemented, gitops.Unreachable, ""},
		"Wrong":   {"a request that is wrong stays wrong", "", http.StatusBadRequest, gitops.Invalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := hosttest.NewServer(t)
			server.Fail(hosttest.Answer(tc.code, "{}"))
			_, err := send(t.Context(), open(t, wire.Options{Clock: hosttest.NewClock(noon), Fix: tc.fix}), "GET", server.URL+"/x", "")
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || p.Fix != tc.want || wire.IsNotFound(err) != (tc.kind == gitops.NotFound) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// What a host's client wraps is found, and what it says of a form that it does not
// know is not shown: it may repeat the answer.
func TestExplainFindsTheProblem(t *testing.T) {
	problem := gitops.Problemf(gitops.NotFound, "there is none")
	if err := wire.Explain("it", fmt.Errorf("list: %w", &url.Error{Op: "Get", URL: "https://h/?token=s3cret", Err: problem})); err != error(problem) { //nolint:errorlint // itself
		t.Errorf("a Problem inside: %v", err)
	}
	if err := wire.Explain("it", errors.New("invalid character 's' after s3cret")); err == nil || err.Error() != "cannot read the answer of it: it is not of the API's form; check the api address" {
		t.Errorf("another form: %v", err)
	}
	if wire.Code(errors.New("none")) != 0 || wire.IsNotFound(nil) {
		t.Error("where nobody answered there is a status")
	}
}

// A server that always sends on is left; one that would take a token from TLS is
// not followed.
func TestRedirectsEnd(t *testing.T) {
	server := hosttest.NewServer(t)
	server.Handle("GET /x", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) })
	_, err := send(t.Context(), open(t, wire.Options{}), "GET", server.URL+"/x", "")
	if err == nil || !strings.Contains(err.Error(), "it redirects without end") || len(server.Asked()) != 5 {
		t.Errorf("after %d requests: %v", len(server.Asked()), err)
	}
	secure, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://git.example.com/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	for to, followed := range map[string]bool{"http://git.example.com/b": false, "https://GIT.example.com/b": true, "https://git.example.com:8443/b": false} {
		next, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := open(t, wire.Options{}).CheckRedirect(next, []*http.Request{secure}); (err == nil) != followed {
			t.Errorf("from TLS to %s: %v", to, err)
		}
	}
}

// A name becomes one part of an address, and no more.
func TestNames(t *testing.T) {
	for name, says := range map[string]string{
		"acme": "", "acme.github.io": "", "a_b-c~d": "", "größe": "", "...": "",
		"": "cannot ask the Git host: owner is empty; set owner", ".": `owner "." is no name; correct owner`, "..": "is no name", "a/b": "is no name",
		"a b": "is no name", "a%2fb": "is no name", "a?b": "is no name", "a#b": "is no name", "a\\b": "is no name", "a\n": "is no name", "\xff": "is no name",
	} {
		err := wire.Name("owner", name)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Hosts are asked by few at a time, and a listing that fails asks for nothing more.
func TestMapIsModest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken, fails, asked, ended := errors.New("broken"), make(chan error), atomic.Int64{}, make(chan error, 1)
		go func() {
			_, err := wire.Map(t.Context(), "it", make([]int, 1000), func(ctx context.Context, _ int) (int, bool, error) {
				asked.Add(1)
				select {
				case err := <-fails:
					return 0, false, err
				case <-ctx.Done():
					return 0, false, ctx.Err()
				}
			})
			ended <- err
		}()
		synctest.Wait()
		if got := asked.Load(); got != 4 {
			t.Errorf("%d are asked at a time", got)
		}
		fails <- broken
		if err := <-ended; !errors.Is(err, broken) || asked.Load() != 4 {
			t.Errorf("%d were asked: %v", asked.Load(), err)
		}
	})
}
