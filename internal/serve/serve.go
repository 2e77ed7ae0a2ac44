package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/oidc"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	clusterapi "github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/cursor"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/page"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/web"
)

// Run serves pages and the API until ctx ends.
func Run(ctx context.Context, o *Options) error {
	if o.At.Listen == "" && o.At.Listener == nil {
		return nil
	}
	g, ctx := crew.WithContext(ctx)
	known := origin.NewKnown()
	handler, work, err := pages(ctx, o, known)
	if err != nil {
		return err
	}
	t, err := newTransport(ctx, o)
	if err != nil {
		return fmt.Errorf("cannot serve pages by TLS: %w", err)
	}
	for _, w := range append(work, t.run) {
		g.Go(func() error { w(ctx); return nil })
	}
	g.Go(func() error { return o.At.answer(ctx, o.At.Proxies.Wrap(t.wrap(handler)), t.config(), known) })
	return g.Wait()
}

// pages is everything that is served there, and the work that keeps it up to
// date, which lasts as long as its context.
func pages(ctx context.Context, o *Options, known *origin.Known) (_ http.Handler, work []func(context.Context), err error) {
	trail := newTrail(o)
	in, err := enter(ctx, o, trail, known)
	if err != nil {
		return nil, nil, err
	}
	i := newIndex(o)
	if err := errors.Join(i.follow(ctx, o.Cache), followProjects(ctx, o.Cache, in.rights.Changed, i.rename)); err != nil {
		return nil, nil, err
	}
	look, operate := looker{on: o, roles: in.rights, trail: trail, logs: newLogs(), kinds: newKindRights(o.RightsFor)}, newOperator(o, i, trail)
	shown := api.Options{
		Version: o.Version, Log: o.Log, Namespace: o.Namespace, Index: i.rows, Marks: i.marks, Rights: in.rights, Applications: hubReader{i.rows, o.Client, o.Namespace},
		Explain: o.Explain, Around: around{look, o.Around}, Act: actor{look}, Sets: newSets(o, trail),
		Look: look, Looks: api.NewLooks(), Bodies: intake.New(in.gate.Known), Cursors: in.cursors, Batches: batch.New(time.Now), Bridge: newBridger(ctx, o), Operate: operate, Approver: approver{operate}, Roll: roller{operate},
		Clusters:  func() []clusterapi.Health { return clusterapi.Of(o.Fleet, o.Parked()) },
		Asker:     o.Seal.Asker,
		Promotion: func() string { return o.Settings()[v1alpha1.SettingEnvironments] },
		Door:      session.NewDoor(in.gate), SignIns: signIns(in.gate.Issuers), Trail: trail, Keys: in.keys,
		Accounts: &accountBook{in.accounts, o, trail},
	}
	shown.Terminals, shown.Desk, shown.Identify = terminals{look}, terminal.NewDesk(o.RightsFor), in.gate.Identify
	o.Describe(&shown, trail)
	if o.History != nil {
		kept := past{o.History, o.Compare, o.Hidden}
		shown.Past, shown.Audit, shown.Commits, shown.Betweens = kept, o.History, o.History, kept
	}
	browser, err := page.New(web.Files())
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", browser)
	mux.HandleFunc("/api/", api.Unknown)
	mux.Handle(api.Prefix+"/", hardened(in.gate.Wrap(in.gate.Attend(api.New(shown), api.Follows), trail.Refusing(api.Refuse)), api.Streams))
	refuse := trail.Refusing(argocd.Refuse)
	argo := in.gate.Attend(argocd.New(argoOptions(o, shown, look, in.gate.Issuers)), argocd.Streams)
	mux.Handle(argocd.Prefix+"/", hardened(argocd.Cookies(in.gate.Wrap(argo, refuse), refuse), argocd.Streams))
	mux.HandleFunc("GET "+session.LoginPath, in.desk.Login)
	mux.Handle("GET "+oidc.CallbackPath, trail.Wrap(http.HandlerFunc(in.desk.Callback)))
	mux.Handle("/api/webhook", o.Webhooks)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	return everything(mux, known), append(in.follow, i.keepNames, shown.Batches.Run, trail.Run, shown.Desk.Run), nil
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

// entrance says who asks, and what they may.
type entrance struct {
	gate     *session.Gate
	desk     *session.Desk
	rights   *rights.Rights
	keys     *keyring
	accounts *localAccounts
	cursors  *cursor.Cursors
	// follow follows the policy, and the key of sessions.
	follow []func(context.Context)
}

func enter(ctx context.Context, o *Options, trail *trail.Trail, known *origin.Known) (*entrance, error) {
	c, err := client.NewWithWatch(o.Hub, client.Options{Scheme: o.Client.Scheme()})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	clients, err := kubernetes.NewForConfig(o.Hub)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	key, err := sessionKey(ctx, c, o.Namespace)
	if err != nil {
		return nil, err
	}
	signer, err := token.New(key, time.Now)
	if err != nil {
		return nil, err
	}
	vault, err := oidc.NewVault(key, time.Now)
	if err != nil {
		return nil, err
	}
	cursors, err := cursor.New(key)
	if err != nil {
		return nil, err
	}
	projects := &projectList{reader: o.Client, namespace: o.Namespace}
	r := rights.New(rights.Options{
		Namespace: o.Namespace, Settings: o.Settings, Projects: projects, Log: o.Log,
		Reviews: rights.NewReviews(clients.AuthorizationV1().SubjectAccessReviews(), o.Namespace, o.Log).BelieveFor(o.RightsFor),
	})
	follow, err := readPolicy(ctx, o, c, r)
	if err != nil {
		return nil, err
	}
	accounts := &localAccounts{
		secret: c, name: types.NamespacedName{Namespace: o.Namespace, Name: account.Secret}, settings: o.Settings,
		projects: projects, first: o.At.First, started: time.Now(), now: time.Now,
	}
	gate := &session.Gate{
		Signer: signer, Accounts: accounts, Life: (&sessionLife{settings: o.Settings, log: o.Log}).now,
		Kubernetes: newReviewer(clients.AuthenticationV1().TokenReviews(), time.Now, known), Known: known,
		Issuers: &issuers{secrets: c, namespace: o.Namespace, settings: o.Settings, policy: r.Policy, now: time.Now, log: o.Log, known: known},
	}
	_, _ = gate.Issuers.Current(ctx) // what is wrong with it is in the log from the beginning
	secrets := clients.CoreV1().Secrets(o.Namespace)
	keys, ended := newKeyring(secrets, issuerOf(gate), trail, o.Log), newEndings(secrets, o.Log)
	gate.Keys, gate.Endings = keys, ended
	signs := &signing{client: c, namespace: o.Namespace, log: o.Log, key: key, rekey: []func([]byte) error{signer.Rekey, vault.Rekey, cursors.Rekey}}
	work := append(signs.follow(secrets, accounts.forget), follow, keys.follow, keys.note, ended.follow)
	return &entrance{gate, session.NewDesk(gate, vault, trail, o.Log), r, keys, accounts, cursors, work}, nil
}

// followProjects forgets what people may see when a project changes: its roles
// give rights.
func followProjects(ctx context.Context, c cache.Informers, changes ...func()) error {
	informer, err := c.GetInformer(ctx, &v1alpha1.AppProject{})
	if err != nil {
		return fmt.Errorf("cannot follow projects: %w", err)
	}
	changed := func() {
		for _, f := range changes {
			f()
		}
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changed() },
		UpdateFunc: func(any, any) { changed() },
		DeleteFunc: func(any) { changed() },
	})
	return err
}

// readPolicy reads the policy; what comes back follows it. One that cannot be
// read at the start leaves the built-in roles alone.
func readPolicy(ctx context.Context, o *Options, c client.WithWatch, r *rights.Rights) (func(context.Context), error) {
	data, err := follow.Read(ctx, c, o.Namespace, rbac.ConfigMap)
	if err != nil {
		return nil, fmt.Errorf("cannot read the policy of ConfigMap %s: %w", rbac.ConfigMap, err)
	}
	if !r.Put(data) && !r.Put(nil) {
		return nil, errors.New("the built-in policy cannot be read")
	}
	f := follow.ConfigMap{
		Namespace: o.Namespace, Name: rbac.ConfigMap, Put: r.Put, Changed: func() {},
		Failed: func(err error) { o.Log.WarnContext(ctx, "the policy stays as it is", "error", err) },
	}
	return func(ctx context.Context) { f.Follow(ctx, c) }, nil
}
