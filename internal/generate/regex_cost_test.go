package generate

import (
	"io"
	"strings"
	"testing"
	"text/template"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestExpressionsOfTemplatesAreBounded: parameters, which somebody else writes,
// may be expressions, and be held against them.
func TestExpressionsOfTemplatesAreBounded(t *testing.T) {
	const limit = 1 << 20
	params := map[string]string{
		"large": strings.Repeat(".{0,1000}", 60), "slow": strings.Repeat("(?:a?.?)", 1000) + "[^a]$", "text": strings.Repeat("a", limit-1),
		"label": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
	}
	for text, want := range map[string]string{
		`{{ regexMatch .large "" }}`:                                                                    "let it repeat less",
		`{{ mustRegexFind .large "" }}`:                                                                 "let it repeat less",
		`{{ regexFindAll .slow .text -1 }}`:                                                             "take too long together",
		`{{ range until 20000 }}{{ regexMatch $.label $.text }}{{ end }}`:                               "take too long together",
		`{{ regexReplaceAll "" .text .text }}`:                                                          errTooLarge.Error(),
		`{{ regexReplaceAllLiteral "a" .text "bb" }}`:                                                   errTooLarge.Error(),
		`{{ regexReplaceAll "(.*)" .text "$1$1" }}`:                                                     errTooLarge.Error(),
		`{{ mustRegexMatch "(" "a" }}`:                                                                  "missing closing",
		`{{ regexMatch "(" "a" }}`:                                                                      "",
		`{{ regexMatch .label "web-1" }}{{ regexFind "a+" .text | len }}`:                               "",
		`{{ regexReplaceAll "a(b)" "ab" "$1" }}{{ regexSplit "," "a,b" -1 }}{{ regexQuoteMeta .slow }}`: "",
	} {
		parsed, err := template.New("main").Funcs(functions(limit, uncounted{})).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		err = parsed.Execute(io.Discard, params)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %.300v", text, err)
		}
	}
}

func TestFiltersAreBounded(t *testing.T) {
	large, some := strings.Repeat(".{0,1000}", 30), "^(main|release-.*)$"
	if _, err := readPullFilters([]v1alpha1.PullRequestGeneratorFilter{{BranchMatch: &large}, {TitleMatch: &large}}); !bounded.IsCostly(err) {
		t.Errorf("two that are too large together: %v", err)
	}
	if _, err := readRepoFilters([]v1alpha1.SCMProviderGeneratorFilter{{LabelMatch: &large}, {BranchMatch: &large}}, nil); !bounded.IsCostly(err) {
		t.Errorf("two that are too large together: %v", err)
	}
	pulls, err := readPullFilters([]v1alpha1.PullRequestGeneratorFilter{{BranchMatch: &some}})
	if err != nil {
		t.Fatal(err)
	}
	m := bounded.NewMatching(10_000)
	if ok, err := keepsPull(m, pulls, gitops.PullRequest{Branch: "release-1"}); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	if _, err := keepsPull(m, pulls, gitops.PullRequest{Branch: strings.Repeat("a", 10_000)}); !bounded.IsCostly(err) {
		t.Errorf("a long branch: %v", err)
	}
	repos, err := readRepoFilters([]v1alpha1.SCMProviderGeneratorFilter{{LabelMatch: &some, BranchMatch: &some}}, bounded.NewMatching(10_000))
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := repos.keepRepository(gitops.HostRepository{Labels: []string{"a", "main"}}); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	if _, err := repos.keepBranch(t.Context(), nil, gitops.HostRepository{Branch: strings.Repeat("a", 10_000)}); !bounded.IsCostly(err) {
		t.Errorf("a long branch: %v", err)
	}
}
