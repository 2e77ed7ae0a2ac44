package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// registered are the repositories of a world: one of a project each.
type registered struct{ world *world }

func (registered) All(context.Context) ([]Repository, error) {
	return []Repository{
		{ID: "repo-shop", Version: "7", RepositoryFields: RepositoryFields{URL: "https://git.example.com/r", Project: "shop"}, Credentials: []string{"password"}},
		{ID: "repo-platform", Version: "8", RepositoryFields: RepositoryFields{URL: "https://git.example.com/p", Project: "platform"}},
	}, nil
}

func (registered) Count(all, used []Repository) (others []Repository) {
	for _, u := range used {
		at := slices.IndexFunc(all, func(r Repository) bool { return r.URL == u.URL })
		if at < 0 {
			u.Used = true
			others = append(others, u)
			continue
		}
		all[at].Applications = u.Applications
	}
	return others
}

// Look has one look for each project, which failed.
func (registered) Look(all []Repository, may func(one *Repository, project string) bool) {
	for i := range all {
		for _, project := range []string{"platform", "shop"} {
			if may(&all[i], project) {
				all[i].LookProblem += project + " "
			}
		}
	}
}

// common has a repository of all projects besides.
type common struct{ registered }

func (c common) All(ctx context.Context) ([]Repository, error) {
	all, err := c.registered.All(ctx)
	return append(all, Repository{ID: "repo-common", RepositoryFields: RepositoryFields{URL: "https://git.example.com"}}), err
}

// What is read for a project is told to those who may read repositories of it.
func TestLooksAreOfProjects(t *testing.T) {
	w := newWorld()
	o := w.options()
	o.Repositories, o.RepositoryUse = common{registered{w}}, common{registered{w}}
	h := as(New(o))
	for user, project := range map[string]string{"reader": "shop ", "other": "platform "} {
		var got Repository
		if answer := send(t, h, user, "GET", "/repositories/repo-common", ""); json.Unmarshal(answer.Body.Bytes(), &got) != nil || got.LookProblem != project {
			t.Errorf("%s is told of looks for %q, want %q: %s", user, got.LookProblem, project, answer.Body)
		}
	}
}

func (r registered) Put(_ context.Context, u *auth.User, old *Repository, want RepositoryWish) (*Repository, error) {
	if strings.Contains(want.URL, "unfit") {
		unfit := &Unfit{}
		unfit.Add("secrets.password", "it is too short")
		return nil, unfit.Err()
	}
	verb := "create"
	if old != nil {
		verb = "update"
	}
	r.world.asked = append(r.world.asked, verb+" "+want.URL+" by "+u.Name)
	return &Repository{RepositoryFields: want.RepositoryFields}, nil
}

func (r registered) Remove(_ context.Context, u *auth.User, old *Repository) error {
	r.world.asked = append(r.world.asked, "delete "+old.URL+" by "+u.Name)
	return nil
}

func (registered) Probe(context.Context, *auth.User, *Repository, RepositoryProbe) (*Probed, error) {
	return &Probed{OK: true}, nil
}

func TestRepositoriesByRights(t *testing.T) { knocks(t, repositoryKnocks()) }

func repositoryKnocks() map[string]knock {
	const at, mine = "/repositories/repo-shop", `{"url":"https://git.example.com/r","project":"shop"}`
	const others = `{"url":"https://git.example.com/r","project":"platform"}`
	gone := [4]int{401, 403, 204, 404}
	return map[string]knock{
		"list":         {"GET", "/repositories", "", [4]int{401, 200, 200, 200}},
		"get":          {"GET", at, "", [4]int{401, 200, 200, 404}},
		"create":       {"POST", "/repositories", mine, [4]int{401, 403, 201, 403}},
		"change":       {"PUT", at, mine, [4]int{401, 403, 200, 404}},
		"move":         {"PUT", at, others, [4]int{401, 403, 403, 404}},
		"delete":       {"DELETE", at, "", gone},
		"test":         {"POST", "/repositories/test", mine, [4]int{401, 403, 200, 403}},
		"test stored":  {"POST", "/repositories/test", `{"url":"https://git.example.com/r","project":"shop","id":"repo-shop"}`, [4]int{401, 403, 200, 404}},
		"test others'": {"POST", "/repositories/test", `{"url":"https://git.example.com/p","project":"platform","id":"repo-platform"}`, [4]int{401, 404, 404, 403}},
		"unknown":      {"GET", "/repositories/none", "", [4]int{401, 404, 404, 404}},
		"no address":   {"POST", "/repositories", `{}`, [4]int{401, 422, 422, 422}},
	}
}

func TestRepositoriesAreOnesOwn(t *testing.T) {
	w := send(t, newWorld().handler(), "reader", "GET", "/repositories", "")
	var got []Repository
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].ID != "repo-shop" || got[0].Applications != 2 || len(got[0].Can) != 0 {
		t.Errorf("got %s", w.Body)
	}
	w = send(t, newWorld().handler(), "writer", "GET", "/repositories/repo-shop", "")
	var one Repository
	if err := json.Unmarshal(w.Body.Bytes(), &one); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"update", "delete"}, one.Can); diff != "" {
		t.Error(diff)
	}
}

// Repositories that Applications use beside those of Secrets are listed to who
// sees the Applications; one whose Secret may not be read is like any other.
func TestRepositoriesThatAreUsed(t *testing.T) {
	w := newWorld()
	w.use("charts", "shop", v1alpha1.ApplicationSource{RepoURL: "https://charts.example.com", Chart: "web"})
	w.use("image", "platform", v1alpha1.ApplicationSource{RepoURL: "oci://registry.example.com/web"})
	h := w.handler()
	const git, charts, oci = "https://git.example.com/r", "https://charts.example.com", "oci://registry.example.com/web"
	cases := map[string][]string{
		"reader": {charts + " helm used 1 []", git + " repo-shop 2 []"},
		"writer": {charts + " helm used 1 [create]", git + " repo-shop 2 [update delete]"},
		"other":  {"https://git.example.com/p repo-platform 0 []", git + " git used 1 []", oci + " oci used 1 []"},
	}
	for user, want := range cases {
		var all []Repository
		answer := send(t, h, user, "GET", "/repositories", "")
		if err := json.Unmarshal(answer.Body.Bytes(), &all); err != nil || answer.Code != 200 {
			t.Fatal(answer.Code, answer.Body)
		}
		var got []string
		for _, r := range all {
			what := r.ID
			if r.Used {
				what = r.Type + " used"
			}
			got = append(got, fmt.Sprintf("%s %s %d %v", r.URL, what, r.Applications, r.Can))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", user, diff)
		}
	}
}

// A change is of the version that was read. The tag of an answer is none, and
// who sends it is not told that somebody changed anything.
func TestChangesAreOfAVersion(t *testing.T) {
	h := newWorld().handler()
	tag := session.Tag([]byte("an answer"))
	for at, body := range map[string]string{
		"/repositories/repo-shop": `{"url":"https://git.example.com/r","project":"shop"}`, "/clusters/dev": `{"name":"dev","server":"https://dev","project":"shop"}`,
	} {
		for version, want := range map[string]int{"": 200, "7": 200, `"7"`: 200, `W/"7"`: 200, "*": 200, "6": 412, tag: 412, strings.TrimPrefix(tag, "W/"): 412} {
			w := sendWith(t, h, "writer", "PUT", at, body, http.Header{"If-Match": {version}})
			say := "load it again"
			if len(version) > 60 {
				say = "body has in version"
			}
			if w.Code != want || want == 412 && !strings.Contains(w.Body.String(), say) {
				t.Errorf("%s %q: %d %s", at, version, w.Code, w.Body)
			}
		}
	}
}

// What does not fit is told by its field, and without what was sent.
func TestUnfit(t *testing.T) {
	h := newWorld().handler()
	long := strings.Repeat("hunter2", 10_000)
	for body, field := range map[string]string{
		`{"url":"https://unfit","project":"shop","secrets":{"password":"hunter2"}}`:            "body.secrets.password",
		`{"url":"https://x","project":"shop","secrets":{"password":"` + long + `"}}`:           "body.secrets.password",
		`{"url":"https://x","project":"shop","secrets":{"other":"hunter2"}}`:                   "",
		`{"url":"https://x","project":"shop","secrets":{"password":{"a":"hunter2"}}}`:          "body.secrets.password",
		`{"url":"https://x","project":"shop","secrets":{"password":"hunter2"},"type":"cargo"}`: "body.type",
	} {
		w := send(t, h, "writer", "POST", "/repositories", body)
		if w.Code != http.StatusUnprocessableEntity || field != "" && !strings.Contains(w.Body.String(), `"location":"`+field+`"`) {
			t.Errorf("%.80s: %d %s", body, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), `hunter2"}`) || strings.Contains(w.Body.String(), `"value":`) {
			t.Errorf("the answer repeats what was sent: %.300s", w.Body)
		}
	}
}
