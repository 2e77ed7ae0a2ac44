package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// folders permits by project what lies in one folder of a host.
type folders map[string]string

func (f folders) of(_ context.Context, project string) (Rule, error) {
	return inFolder(f[project]), nil
}

type inFolder string

func (f inFolder) Permits(address string) (bool, error) {
	return f != "" && strings.Contains(address, string(f)), nil
}

func (f inFolder) Admits(ref gitops.SourceRef) (bool, error) { return f.Permits(ref.RepoURL) }

func (f inFolder) Key() string { return string(f) }

// TestIndexSpendsNoCredential has the index of one team's repository name an
// archive of another team's on the same host, which a template of credentials
// opens.
func TestIndexSpendsNoCredential(t *testing.T) {
	blues, open := packed(t, "web", "1.0.0"), packed(t, "web", "2.0.0")
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/open/web.tgz":
			_, _ = w.Write(open)
		case password != "hunter2":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case path.Base(r.URL.Path) == "index.yaml":
			fmt.Fprint(w, "entries:\n  web:\n  - {version: 1.0.0, urls: [/blue/web.tgz]}\n  - {version: 2.0.0, urls: [/open/web.tgz]}\n  - {version: 3.0.0, urls: [sent.tgz]}\n")
		case path.Base(r.URL.Path) == "sent.tgz":
			http.Redirect(w, r, "/blue/web.tgz", http.StatusFound)
		default:
			_, _ = w.Write(blues)
		}
	}))
	t.Cleanup(host.Close)
	store := &Credentials{}
	store.Replace([]Repository{{URL: host.URL, Template: true, Credential: Credential{Username: "operator", Password: "hunter2", Type: "helm"}}})
	permits := folders{"both": "/blue/"}
	now := time.Now()
	r := newRegistry(t, Options{Credentials: store, PrivateHosts: true, Permits: permits.of, Clock: func() time.Time { return now }})
	read := func(project, revision string) error {
		s, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: host.URL + "/red/charts", Chart: "web", Revision: revision, Project: project})
		if err == nil {
			content(t, s, "values.yaml")
		}
		return err
	}
	for _, revision := range []string{"1.0.0", "3.0.0"} {
		for range 2 { // also when somebody else has read it
			if p := problem(t, read("red", revision)); p.Kind != gitops.Refused || !strings.Contains(p.Fix, "spec.sourceRepos") {
				t.Errorf("%s: another team's archive is told as %v", revision, p)
			}
			if err := read("both", revision); err != nil {
				t.Errorf("%s: who may read it does not: %v", revision, err)
			}
		}
	}
	if err := read("red", "2.0.0"); err != nil {
		t.Errorf("what is open to everybody is not read: %v", err)
	}
	permits["both"] = ""
	if err := read("both", "1.0.0"); err == nil {
		t.Error("what was permitted once is read for ever")
	}
}

// TestIndexElsewhere follows no server to another index with the credential.
func TestIndexElsewhere(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case password != "hunter2":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case r.URL.Path == "/red/index.yaml":
			http.Redirect(w, r, "/blue/index.yaml", http.StatusFound)
		default:
			fmt.Fprint(w, "entries: {web: [{version: 1.0.0, urls: [web.tgz]}]}")
		}
	}))
	t.Cleanup(host.Close)
	everything := func(context.Context, string) (Rule, error) { return web.Everywhere{}, nil }
	r := newRegistry(t, Options{Credentials: known(Credential{Username: "operator", Password: "hunter2"}), PrivateHosts: true, Permits: everything})
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: host.URL + "/red", Chart: "web", Project: "red"})
	if p := problem(t, err); !strings.Contains(p.Fix, "that the server sends on to") {
		t.Errorf("got %v", err)
	}
}

// TestDigestsOfAnIndexNameNothingKept: what an index says of an archive is no way to what
// another project has read of the same host.
func TestDigestsOfAnIndexNameNothingKept(t *testing.T) {
	blues := packed(t, "web", "1.0.0")
	sum := func(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }
	kept := sum([]byte(inFolder("/blue/").Key() + " " + sum(blues)))
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case password != "hunter2":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case path.Base(r.URL.Path) == "index.yaml":
			_, _ = fmt.Fprintf(w, "entries:\n  web:\n  - {version: 1.0.0, digest: %s, urls: [/blue/web.tgz]}\n  named:\n  - {version: 1.0.0, digest: %s, urls: [named.tgz]}\n", sum(blues), kept)
		case path.Base(r.URL.Path) == "web.tgz":
			_, _ = w.Write(blues)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(host.Close)
	store := &Credentials{}
	store.Replace([]Repository{{URL: host.URL, Template: true, Credential: Credential{Username: "operator", Password: "hunter2", Type: "helm"}}})
	r := newRegistry(t, Options{Credentials: store, PrivateHosts: true, Permits: folders{"blue": "/blue/"}.of})
	read := func(project, chart string) error {
		_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: host.URL + "/red/charts", Chart: chart, Revision: "1.0.0", Project: project})
		return err
	}
	if err := read("blue", "web"); err != nil {
		t.Fatal(err)
	}
	if err := read("red", "named"); err == nil {
		t.Error("red reads what blue has read, and what red's project does not permit")
	}
}
