// Package webhook understands the events that Git hosts send of pushes and
// pull requests: GitHub, GitLab, Gitea, Bitbucket Cloud, Bitbucket Server and
// Azure DevOps.
//
// It checks their signatures and says which repositories changed; nothing is
// fetched here. Which repositories an address means is decided by Registry.Refresh of
// internal/source, and which generators an event concerns by HostEvent of
// internal/generate.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Push is what a host tells about a push. An event is one, however much it lists.
type Push struct {
	// RepoURLs are all addresses under which the host knows the repository.
	RepoURLs []string
	// Moved are the references that moved, each once; none when they are
	// unknown, or too many: any of the repository's may have then.
	Moved []Moved
	// Changed are the paths that the push touched; empty when the host does
	// not tell, or not all of them.
	Changed []string
}

// Moved is a reference that moved.
type Moved struct {
	// Ref is the full name, such as refs/heads/main.
	Ref string
	// Revision is the new commit; empty when unknown or deleted.
	Revision string
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

// maxPaths bounds what is taken of a push's changed paths.
const maxPaths = 10_000

// Handler receives events. Secrets is asked for each, so that it can be
// replaced; as long as it cannot tell, no event is believed. Push is called for each believable push, and Event for each that
// generators which ask hosts want to know, pushes among them.
type Handler struct {
	Secrets func() (Secrets, error)
	Push    func(context.Context, Push)
	Event   func(context.Context, Event)
	Log     *slog.Logger

	// Events of hosts without a secret have places of their own: anybody sends
	// those, and keeps no other ones out.
	signed, unsigned room
	// refused is what is logged of events that are not believed.
	refused noise
}

// How long an event may take, and when one is to be sent again.
const (
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
	// knock looks at the headers alone: whether a body is worth reading. signs
	// tells that there is a secret to check it by.
	knock func(http.Header, Secrets) (signs bool, err error)
	check func(http.Header, []byte, Secrets) error
	parse func(event string, body []byte) (Push, error)
	about func(header http.Header, event string, body []byte) (Event, error)
}

// hosts in the order in which they are recognised: Gitea sends GitHub's
// headers as well as its own.
var hosts = []host{
	{"Gitea", "X-Gitea-Event", knockGitea, checkGitea, parseGitea, aboutGitea},
	{"GitHub", "X-Github-Event", knockGitHub, checkGitHub, parseGitHub, aboutGitHub},
	{"GitLab", "X-Gitlab-Event", knockGitLab, checkGitLab, parseGitLab, aboutGitLab},
	{"Bitbucket", "X-Hook-Uuid", knockBitbucket, checkBitbucket, parseBitbucket, aboutBitbucket},
	{"Bitbucket Server", "X-Event-Key", knockBitbucketServer, checkBitbucketServer, parseBitbucketServer, aboutBitbucketServer},
	{"Azure DevOps", "X-Vss-Activityid", knockAzure, checkAzure, parseAzure, aboutAzure},
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
	known, err := h.Secrets()
	if err != nil {
		busy(w, unknown)
		return
	}
	signs, err := from.knock(r.Header, known)
	if err != nil {
		h.refuse(w, r, from, err)
		return
	}
	in := h.room(signs)
	end, ok := in.begin()
	if !ok {
		busy(w, "too many events are being received; send it again later")
		return
	}
	defer end()
	body, done, err := in.read(w, r)
	defer done()
	switch {
	case errors.Is(err, errLarge):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case errors.Is(err, errFull):
		busy(w, err.Error())
	case err != nil:
		http.Error(w, "cannot read the event", http.StatusBadRequest)
	default:
		h.receive(w, r, from, in, body)
	}
}

// unknown is said as long as it is not known who signs.
const unknown = "the secrets of Git hosts cannot be read; send it again later"

func busy(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(busyWait.Seconds())))
	http.Error(w, why, http.StatusServiceUnavailable)
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, from host, err error) {
	h.warn("webhook refused", "host", from.name, "remote", r.RemoteAddr, "error", err)
	http.Error(w, err.Error(), http.StatusUnauthorized)
}

// warn logs what strangers cause, within bounds: unsaid is how many such lines
// there were not before this one.
func (h *Handler) warn(text string, of ...any) {
	if unsaid, ok := h.refused.say(); ok {
		h.Log.Warn(text, append(of, "unsaid", unsaid)...)
	}
}

// tell logs what is received, within bounds as well: anybody may be believed.
func (h *Handler) tell(in place, text string, of ...any) {
	if unsaid, ok := in.received.say(); ok {
		h.Log.Info(text, append(of, "unsaid", unsaid)...)
	}
}

func (h *Handler) receive(w http.ResponseWriter, r *http.Request, from host, in place, body []byte) {
	known, err := h.Secrets()
	if err != nil {
		busy(w, unknown)
		return
	}
	if err := from.check(r.Header, body, known); err != nil {
		h.refuse(w, r, from, err)
		return
	}
	name := eventName(from, r.Header)
	push, notPush := from.parse(name, body)
	event, notEvent := from.about(r.Header, name, body)
	for _, err := range []error{notPush, notEvent} {
		if err != nil && !errors.Is(err, errIgnored) {
			h.warn("webhook not understood", "host", from.name, "remote", r.RemoteAddr, "error", err)
			http.Error(w, senderMessage(err), http.StatusBadRequest)
			return
		}
	}
	if r.Context().Err() != nil {
		return // who sent it has gone, and sends it again
	}
	if notPush == nil {
		h.pushed(r.Context(), from, in, push)
	}
	if notEvent == nil {
		h.tell(in, "event received", "host", from.name, "repository", event.Path, "pullRequest", event.PullRequest)
		h.Event(r.Context(), event)
	}
	if notPush != nil && notEvent != nil {
		fmt.Fprintln(w, "ignored: "+errIgnored.Error())
		return
	}
	fmt.Fprintln(w, "accepted")
}

// senderMessage is what the sender learns of an event that is not understood.
func senderMessage(err error) string {
	var why unfit
	if errors.As(err, &why) {
		return why.Error()
	}
	return "cannot read the event"
}

func (h *Handler) pushed(ctx context.Context, from host, in place, p Push) {
	var first Moved
	if len(p.Moved) > 0 {
		first = p.Moved[0]
	}
	h.tell(in, "push received", "host", from.name, "repository", p.RepoURLs[0], "ref", first.Ref, "revision", first.Revision, "refs", len(p.Moved))
	h.Push(ctx, p)
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
