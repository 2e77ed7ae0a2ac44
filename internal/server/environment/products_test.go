package environment

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/view"
)

// shops are products of two teams, one of them in two projects.
func shops() *Fleet {
	at := func(name, project, env, product string) *view.Row {
		r := row(name, "c", "1", map[string]string{"env": env, productLabel: product})
		r.Project = project
		return r
	}
	return &Fleet{Visible: all, Rows: []*view.Row{
		at("web-dev", "shop-dev", "dev", ""), at("web-prod", "shop-prod", "prod", ""),
		at("web-dev", "bank", "dev", ""), at("cart", "shop-dev", "dev", "checkout"), at("till", "bank", "prod", "checkout"),
	}}
}

func TestWhichProductsAreWanted(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		query  Query
		want   string
	}{
		"All":           {"by name, then by project", Query{}, "checkout argocd/bank/web argocd/shop/web"},
		"Text":          {"words of its name or of its project, without the environment", Query{Text: "WEB shop"}, "argocd/shop/web"},
		"Environment":   {"which is no part of either", Query{Text: "shop-dev"}, ""},
		"Project":       {"a project that one of its Applications is in", Query{Project: "shop-prod"}, "argocd/shop/web"},
		"Shared":        {"also of a product that has several", Query{Project: "bank"}, "checkout argocd/bank/web"},
		"Part":          {"part of a project is none", Query{Project: "shop"}, ""},
		"One":           {"the only one", Query{Product: "checkout"}, "checkout"},
		"One, by parts": {"by its whole id", Query{Product: "web"}, ""},
		"Page":          {"those of a page", Query{Offset: 1, Limit: 1}, "argocd/bank/web"},
		"Before":        {"before the first there is none", Query{Offset: -3, Limit: 1}, "checkout"},
		"Beyond":        {"nor behind the last", Query{Offset: 3, Limit: 9}, ""},
		"Placed":        {"what runs in one of two environments alone differs", Query{From: "dev", To: "prod"}, "argocd/bank/web"},
		"Nowhere":       {"in what there is none of, nothing differs", Query{From: "qa", To: "uat"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.query.Limit == 0 {
				tc.query.Limit = 9
			}
			var ids []string
			for _, p := range shops().Matrix(tc.query).Items {
				ids = append(ids, p.ID)
			}
			if got := strings.Join(ids, " "); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// A product's Applications in an environment are those of the matrix, and of others there are none.
func TestApplicationsOfAProduct(t *testing.T) {
	f := shops()
	for _, tc := range []struct {
		product, environment string
		want                 int
	}{{"argocd/shop/web", "prod", 1}, {"checkout", "prod", 1}, {"checkout", "qa", 0}, {"none", "prod", 0}, {"", "", 0}} {
		if got := f.Applications(tc.product, tc.environment); len(got) != tc.want {
			t.Errorf("%s in %s: %d", tc.product, tc.environment, len(got))
		}
	}
	f.Visible = func(r *view.Row) bool { return r.Project != "bank" }
	if got := f.Applications("checkout", "prod"); len(got) > 0 {
		t.Errorf("told of is what may not be seen: %v", got)
	}
}

// The setting of the order is written by people: blanks, capitals and repetitions do not count.
func TestOrdersAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{"": "", " , ,": "", "Dev,dev , PROD": "dev prod", "a,b,a": "a b", "été": "été"} {
		if got := strings.Join(ParseOrder(text), " "); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	o := ParseOrder("production,qa")
	for i, names := range [][2]string{{"prod", "qa"}, {"test", "dev"}, {"dev", "somewhere"}, {"somewhere", ""}, {"a", "b"}} {
		if o.compare(names[0], names[1]) >= 0 {
			t.Errorf("%d: %q does not come before %q", i, names[0], names[1])
		}
	}
}
