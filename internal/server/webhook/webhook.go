// Package webhook understands the events that Git hosts send of pushes and
// pull requests: GitHub, GitLab, Gitea, Bitbucket Cloud, Bitbucket Server and
// Azure DevOps.
//
// It checks their signatures and says which repositories changed. Which
// applications that concerns is decided elsewhere; nothing is fetched here.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Push is what a host tells about a push.
type Push struct {
	// RepoURLs are all addresses under which the host knows the repository.
	RepoURLs []string
	// Ref is the full name, such as refs/heads/main; empty when unknown.
	Ref string
	// Revision is the new commit; empty when unknown or deleted.
	Revision string
	// Changed are the paths that the push touched; empty when the host does
	// not tell, or not all of them.
	Changed []string
}

// Secrets are what the hosts sign with. A host without one is believed as
// it is: a false push costs no more than a look-up.
type Secrets struct {
	GitHub, GitLab, Gitea, Bitbucket, BitbucketServer []byte
	// Azure DevOps signs in with a name and a password.
	AzureUser, AzurePassword []byte
}

// Read takes the secrets from the data of argocd-secret.
func Read(data map[string][]byte) Secrets {
	return Secrets{
		GitHub:          data["webhook.github.secret"],
		GitLab:          data["webhook.gitlab.secret"],
		Gitea:           data["webhook.gitea.secret"],
		Bitbucket:       data["webhook.bitbucket.uuid"],
		BitbucketServer: data["webhook.bitbucketserver.secret"],
		AzureUser:       data["webhook.azuredevops.username"],
		AzurePassword:   data["webhook.azuredevops.password"],
	}
}

// maxBody bounds an event; GitHub sends at most 25 MB.
const maxBody = 25 << 20

// maxPaths bounds what is taken of a push's changed paths.
const maxPaths = 10_000

// Handler receives events. Secrets is asked for each, so that it can be
// replaced; Push is called for each believable push, and Event for each that
// generators which ask hosts want to know, pushes among them.
type Handler struct {
	Secrets func() Secrets
	Push    func(context.Context, Push)
	Event   func(context.Context, Event)
	Log     *slog.Logger

	// receiving is how many events are being read and told.
	receiving atomic.Int32
}

// Bounds of events, whose senders nobody knows before they are read.
const (
	atOnce   = 16
	readTime = 30 * time.Second
	busyWait = 5 * time.Second
)

var (
	errUnsigned = errors.New("the signature is missing or wrong")
	errIgnored  = errors.New("the event changes nothing here")
)

// host is one kind of sender.
type host struct {
	name string
	// event is the header that only this kind sends.
	event string
	check func(http.Header, []byte, Secrets) error
	parse func(event string, body []byte) ([]Push, error)
	about func(header http.Header, event string, body []byte) (Event, error)
}

// hosts in the order in which they are recognised: Gitea sends GitHub's
// headers as well as its own.
var hosts = []host{
	{"Gitea", "X-Gitea-Event", checkGitea, parseGitea, aboutGitea},
	{"GitHub", "X-Github-Event", checkGitHub, parseGitHub, aboutGitHub},
	{"GitLab", "X-Gitlab-Event", checkGitLab, parseGitLab, aboutGitLab},
	{"Bitbucket", "X-Hook-Uuid", checkBitbucket, parseBitbucket, aboutBitbucket},
	{"Bitbucket Server", "X-Event-Key", checkBitbucketServer, parseBitbucketServer, aboutBitbucketServer},
	{"Azure DevOps", "X-Vss-Activityid", checkAzure, parseAzure, aboutAzure},
}

// ServeHTTP answers 200 to every believable event, whether it is of use or
// not, 401 to a wrong signature and 400 to what cannot be read.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST is understood", http.StatusMethodNotAllowed)
		return
	}
	from, ok := recognise(r.Header)
	if !ok {
		http.Error(w, "no event header of a known Git host", http.StatusBadRequest)
		return
	}
	end, ok := h.begin()
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(busyWait.Seconds())))
		http.Error(w, "too many events are being received; send it again later", http.StatusServiceUnavailable)
		return
	}
	defer end()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime)) // a recorder has none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			http.Error(w, "the event is too large", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "cannot read the event", http.StatusBadRequest)
		return
	}
	_ = control.SetReadDeadline(time.Time{})
	h.receive(w, r, from, body)
}

// begin takes one of the places for events; end gives it back.
func (h *Handler) begin() (end func(), ok bool) {
	if h.receiving.Add(1) > atOnce {
		h.receiving.Add(-1)
		return nil, false
	}
	return func() { h.receiving.Add(-1) }, true
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request, from host, body []byte) {
	if err := from.check(r.Header, body, h.Secrets()); err != nil {
		h.Log.Warn("webhook refused", "host", from.name, "remote", r.RemoteAddr, "error", err)
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	name := eventName(from, r.Header)
	pushes, notPush := from.parse(name, body)
	event, notEvent := from.about(r.Header, name, body)
	for _, err := range []error{notPush, notEvent} {
		if err != nil && !errors.Is(err, errIgnored) {
			h.Log.Warn("webhook not understood", "host", from.name, "error", err)
			http.Error(w, "cannot read the event", http.StatusBadRequest)
			return
		}
	}
	for _, p := range pushes {
		h.Log.Info("push received", "host", from.name, "repository", first(p.RepoURLs), "ref", p.Ref, "revision", p.Revision)
		h.Push(r.Context(), p)
	}
	if notEvent == nil {
		h.Log.Info("event received", "host", from.name, "repository", event.Path, "pullRequest", event.PullRequest)
		h.Event(r.Context(), event)
	}
	if notPush != nil && notEvent != nil {
		fmt.Fprintln(w, "ignored: "+errIgnored.Error())
		return
	}
	fmt.Fprintln(w, "accepted")
}

func recognise(header http.Header) (host, bool) {
	for _, h := range hosts {
		if header.Get(h.event) != "" {
			return h, true
		}
	}
	return host{}, false
}

// eventName is what happened; Bitbucket Cloud is recognised by another header.
func eventName(h host, header http.Header) string {
	if strings.HasPrefix(h.name, "Bitbucket") {
		return header.Get("X-Event-Key")
	}
	return header.Get(h.event)
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}
