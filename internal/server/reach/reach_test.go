package reach

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// shop lets readers read the project shop, and writers write there; the overseer reads
// all there is. It lets nobody in.
type shop struct{}

func (shop) Visible(_ context.Context, u *auth.User) (func(*view.Row) bool, error) {
	if u == nil {
		return nil, gitops.Problemf(gitops.Refused, "nobody is signed in")
	}
	return func(r *view.Row) bool { return r.Project == "shop" || u.Name == "overseer" }, nil
}

func (s shop) Permit(ctx context.Context, u *auth.User, a Access) error {
	if _, err := s.Visible(ctx, u); err != nil {
		return err
	}
	if u.Name == "overseer" && a.Action == "get" || a.Project == "shop" && (a.Action == "get" || u.Name == "writer") {
		return nil
	}
	return gitops.Problemf(gitops.Forbidden, "%s may not %s %s", u.Name, a.Action, a.Name)
}

func (s shop) Might(ctx context.Context, u *auth.User, a Access) bool {
	return s.Permit(ctx, u, Access{Action: a.Action, Project: "shop"}) == nil
}

// book keeps what it is told.
type book struct{ lines []string }

func (b *book) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	b.lines = append(b.lines, strings.Join([]string{e.Who.Name, string(e.Outcome), e.Verb, e.Resource, e.Project, e.Namespace, e.Name}, " "))
	return e, nil
}

func (b *book) Note(*audit.Entry) {}

func row(project, name string) *view.Row {
	return &view.Row{Project: project, Namespace: "argocd", Name: name}
}

func as(ctx context.Context, name string) context.Context {
	if name == "" {
		return ctx
	}
	return auth.With(ctx, &auth.User{Name: name, Via: auth.Local})
}

func world() (*Reach, *book) {
	b, rows := &book{}, view.NewIndex(time.Unix(1, 0))
	rows.Put(row("shop", "web"))
	rows.Put(row("ops", "dns"))
	return New(shop{}, rows, trail.New(b, slog.New(slog.DiscardHandler))), b
}

// kindOf is what an error says to whom it is answered.
func kindOf(err error) string {
	var p *gitops.Problem
	switch {
	case err == nil:
		return "yes"
	case errors.As(err, &Hidden{}):
		return "hidden"
	case errors.As(err, &p) && p.Kind == gitops.Forbidden:
		return "forbidden"
	case errors.As(err, &p) && p.Kind == gitops.Refused:
		return "nobody"
	}
	return err.Error()
}

func TestApplication(t *testing.T) {
	cases := map[string]struct {
		reason                     string
		who, app, resource, action string
		want                       string
		told                       []string
	}{
		"read":         {"what may be read is there", "reader", "web", "applications", "get", "yes", nil},
		"nobody":       {"nobody is told to sign in, whatever there is", "", "web", "applications", "get", "nobody", nil},
		"nobody, none": {"also where nothing is", "", "none", "applications", "get", "nobody", nil},
		"none":         {"what is not there is told of as what may not be read", "reader", "none", "applications", "get", "hidden", []string{"reader denied get applications  argocd none"}},
		"none to sync": {"nor can it be written", "writer", "none", "applications", "sync", "hidden", []string{"writer denied sync applications  argocd none"}},
		"none of all":  {"who may read all tries nothing where there is nothing", "overseer", "none", "applications", "get", "hidden", nil},
		"other's":      {"what may not be read is as if it were not there, and the audit knows better", "writer", "dns", "applications", "get", "hidden", []string{"writer denied get applications ops argocd dns"}},
		"other's sync": {"nor is it there to be written", "writer", "dns", "applications", "sync", "hidden", []string{"writer denied sync applications ops argocd dns"}},
		"no writer":    {"who may read is told that they may not write", "reader", "web", "applications", "sync", "forbidden", []string{"reader denied sync applications shop argocd web"}},
		"writer":       {"who may write may", "writer", "web", "applications", "sync", "yes", nil},
		"logs":         {"logs are a right of their own", "reader", "web", "logs", "get", "yes", nil},
		"exec":         {"and so is a terminal", "reader", "web", "exec", "create", "forbidden", []string{"reader denied create exec shop argocd web"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, b := world()
			_, err := r.Application(as(t.Context(), tc.who), view.Key{Namespace: "argocd", Name: tc.app}, tc.resource, tc.action)
			if got := kindOf(err); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if d := cmp.Diff(tc.told, b.lines); d != "" {
				t.Errorf("%s: the audit (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

// counted counts what the rights are asked besides what is visible.
type counted struct {
	shop

	questions int
}

func (c *counted) Permit(ctx context.Context, u *auth.User, a Access) error {
	c.questions++
	return c.shop.Permit(ctx, u, a)
}

// What is hidden is one answer, whether it is there or not, and as much work.
func TestHiddenTellsNothing(t *testing.T) {
	ask := func(name string, find func(ctx context.Context, r *Reach, k view.Key) error) (string, int, int) {
		r, b := world()
		rights := &counted{}
		r.rights = rights
		err := find(as(t.Context(), "reader"), r, view.Key{Namespace: "argocd", Name: name})
		return strings.ReplaceAll(err.Error(), "dns", "dnt"), len(b.lines), rights.questions
	}
	for what, find := range map[string]func(ctx context.Context, r *Reach, k view.Key) error{
		"an Application": func(ctx context.Context, r *Reach, k view.Key) error {
			_, err := r.Application(ctx, k, "applications", "get")
			return err
		},
		"logs": func(ctx context.Context, r *Reach, k view.Key) error {
			_, err := r.Application(ctx, k, "logs", "get")
			return err
		},
		"a set": func(ctx context.Context, r *Reach, k view.Key) error {
			_, err := r.Set(ctx, []v1alpha1.ApplicationSet{setOf("ops", "dns")}, k)
			return err
		},
	} {
		there, entries, questions := ask("dns", find)
		none, others, othersAsked := ask("dnt", find)
		if there != none || entries != others || questions != othersAsked {
			t.Errorf("%s: %q with %d entries and %d questions, and where there is none %q with %d and %d", what, there, entries, questions, none, others, othersAsked)
		}
	}
}

var errBusy = errors.New("not one's turn yet")

// busy are rights that could not be asked, but by who waits.
type busy struct{ shop }

func (b busy) Permit(ctx context.Context, u *auth.User, a Access) error {
	if !Patient(ctx) {
		return errBusy
	}
	return b.shop.Permit(ctx, u, a)
}

// Whose rights nobody knows yet is not told that they may not, nor that there is
// nothing, and neither is the audit. Lists have all that may be read.
func TestWhatIsNotKnownYetIsNoRefusal(t *testing.T) {
	r, b := world()
	r.rights = busy{}
	ctx := as(t.Context(), "reader")
	for what, find := range map[string]func() error{
		"what is there": func() error {
			_, err := r.Application(ctx, view.Key{Namespace: "argocd", Name: "web"}, "logs", "get")
			return err
		},
		"what is hidden": func() error {
			_, err := r.Application(ctx, view.Key{Namespace: "argocd", Name: "dns"}, "applications", "get")
			return err
		},
		"what is not": func() error {
			_, err := r.Application(ctx, view.Key{Namespace: "argocd", Name: "none"}, "applications", "get")
			return err
		},
		"a set": func() error {
			_, err := r.Set(ctx, []v1alpha1.ApplicationSet{setOf("shop", "web")}, view.Key{Namespace: "argocd", Name: "web"})
			return err
		},
		"no set": func() error {
			_, err := r.Set(ctx, nil, view.Key{Namespace: "argocd", Name: "web"})
			return err
		},
	} {
		if err := find(); !errors.Is(err, errBusy) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(b.lines) > 0 {
		t.Errorf("the audit has %v", b.lines)
	}
	all := []clusters.Health{{Server: "https://a", Project: "shop"}, {Server: "https://b", Project: "ops"}}
	if got := Only(ctx, r, all, ReadCluster); len(got) != 1 {
		t.Errorf("%d of a list are left", len(got))
	}
}

func setOf(project, name string) (out v1alpha1.ApplicationSet) {
	out.Namespace, out.Name, out.Spec.Template.Spec.Project = "argocd", name, project
	return out
}

func TestSetsAndProjects(t *testing.T) {
	sets := []v1alpha1.ApplicationSet{setOf("shop", "web"), setOf("ops", "dns")}
	projects := []v1alpha1.AppProject{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, {ObjectMeta: metav1.ObjectMeta{Name: "ops"}}}
	r, b := world()
	for who, want := range map[string][]string{"reader": {"yes", "hidden", "hidden", "yes", "hidden", "hidden"}, "": {"nobody", "nobody", "nobody", "nobody", "nobody", "nobody"}} {
		ctx := as(t.Context(), who)
		var got []string
		for _, name := range []string{"web", "dns", "none"} {
			_, err := r.Set(ctx, sets, view.Key{Namespace: "argocd", Name: name})
			got = append(got, kindOf(err))
		}
		for _, name := range []string{"shop", "ops", "none"} {
			_, err := r.Project(ctx, projects, name)
			got = append(got, kindOf(err))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", who, d)
		}
	}
	if d := cmp.Diff([]string{"reader denied get applicationsets ops argocd dns", "reader denied get applicationsets  argocd none"}, b.lines); d != "" {
		t.Errorf("the audit (-want +got):\n%s", d)
	}
}

func TestOnlyAndCan(t *testing.T) {
	r, b := world()
	all := []clusters.Health{{Name: "a", Server: "https://a", Project: "shop"}, {Name: "b", Server: "https://b", Project: "ops"}}
	for who, want := range map[string]struct {
		names string
		can   string
	}{"reader": {"a", ""}, "writer": {"a", "update delete"}, "": {"", ""}} {
		ctx, names := as(t.Context(), who), []string{}
		for _, c := range Only(ctx, r, all, ReadCluster) {
			names = append(names, c.Name)
		}
		can := r.Can(ctx, Cluster("", "https://a", "shop"), "update", "delete")
		if strings.Join(names, " ") != want.names || strings.Join(can, " ") != want.can {
			t.Errorf("%q sees %v and can %v; want %+v", who, names, can, want)
		}
	}
	if len(b.lines) != 0 {
		t.Errorf("questions of pages are in the audit: %v", b.lines)
	}
}
