package serve

import (
	"net/http"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/internal/server/page"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/web"
)

// Bounds of the bytes of answers that wait to be read: unreadAll are those of all,
// unreadEach those of one network or site, and unreadKept those that known ones alone
// have. All who come by a proxy are one network where it is not named as one.
const (
	unreadAll  = 96 << 20
	unreadEach = 64 << 20
	unreadKept = 16 << 20
)

// routes are the pages, both APIs, and what issuers, Git hosts and probes ask for.
func routes(o *Options, in *entrance, shown *api.Options, look looker, trail *trail.Trail) (http.Handler, error) {
	browser, err := page.New(web.Files())
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", browser)
	mux.HandleFunc("/api/", api.Unknown)
	own := in.gate.Attend(api.New(*shown), api.Follows)
	mux.Handle(api.Prefix+"/", hardened(in.gate.Wrap(own, trail.Refusing(api.Refuse)), api.Streams))
	refuse := trail.Refusing(argocd.Refuse)
	argo := in.gate.Attend(argocd.New(argoOptions(o, *shown, look, in.gate.Issuers)), argocd.Streams)
	mux.Handle(argocd.Prefix+"/", hardened(argocd.Cookies(in.gate.Wrap(argo, refuse), refuse), argocd.Streams))
	mux.HandleFunc("GET "+session.LoginPath, in.desk.Login)
	mux.Handle("GET "+oidc.CallbackPath, trail.Wrap(http.HandlerFunc(in.desk.Callback)))
	mux.Handle("/api/webhook", o.Webhooks)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	return mux, nil
}

// hardened is what every answer of an API goes through. Streams tells which
// ones go on and on.
func hardened(h http.Handler, streams func(*http.Request) bool) http.Handler {
	return session.Harden(session.Compress(h, streams))
}

// everything is what all answers go through, those to strangers too.
func everything(h http.Handler, known *origin.Known) http.Handler {
	share := origin.Share{All: unreadAll, Site: unreadEach, Network: unreadEach, Kept: unreadKept}
	return backpressure.New(share, known).Wrap(session.InTime(Outside(h)))
}

// Outside has whoever asks taken for a stranger until a gate knows better, and
// never for the engine itself.
func Outside(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.Outside(r.Context())))
	})
}
