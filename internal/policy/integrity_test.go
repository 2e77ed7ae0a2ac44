package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

func TestSignatures(t *testing.T) {
	gpg := func(mode v1alpha1.SourceIntegrityGitPolicyGPGMode, repos ...string) *v1alpha1.SourceIntegrityGitPolicy {
		p := &v1alpha1.SourceIntegrityGitPolicy{GPG: &v1alpha1.SourceIntegrityGitPolicyGPG{Mode: mode, Keys: []string{"A"}}}
		for _, r := range repos {
			p.Repos = append(p.Repos, v1alpha1.SourceIntegrityGitPolicyRepo{URL: r})
		}
		return p
	}
	policies := func(all ...*v1alpha1.SourceIntegrityGitPolicy) v1alpha1.AppProjectSpec {
		return v1alpha1.AppProjectSpec{SourceIntegrity: &v1alpha1.SourceIntegrity{Git: &v1alpha1.SourceIntegrityGit{Policies: all}}}
	}
	keys := v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "A"}, {KeyID: "B"}}}
	at := func(repoURL string) v1alpha1.ApplicationSource {
		return v1alpha1.ApplicationSource{RepoURL: repoURL, Path: "."}
	}
	rule := &gitops.SignatureRule{Keys: []string{"A"}}
	repo := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/team/a", Path: "."}
	chart := v1alpha1.ApplicationSource{RepoURL: "https://charts.example.com", Chart: "web"}
	cases := map[string]struct {
		reason  string
		spec    v1alpha1.AppProjectSpec
		source  v1alpha1.ApplicationSource
		want    *gitops.SignatureRule
		refused bool
	}{
		"None":      {"most projects ask for none", v1alpha1.AppProjectSpec{}, repo, nil, false},
		"Keys":      {"the older field is about every repository", keys, repo, &gitops.SignatureRule{Keys: []string{"A", "B"}}, false},
		"Chart":     {"a chart cannot be checked", keys, chart, nil, true},
		"Head":      {"one policy", policies(gpg("head", "https://git.example.com/*")), repo, &gitops.SignatureRule{Keys: []string{"A"}}, false},
		"Strict":    {"all the history", policies(gpg("strict", "*")), repo, &gitops.SignatureRule{Keys: []string{"A"}, History: true}, false},
		"Mode":      {"a mode that nobody knows must not switch checks off", policies(gpg("stirct", "*")), repo, nil, true},
		"Off":       {"none is none", policies(gpg("none", "*")), repo, nil, false},
		"Two":       {"which of two counts is not clear", policies(gpg("none", "*"), gpg("head", "https://git.example.com/*")), repo, nil, true},
		"Exception": {"a deny takes a repository out", policies(gpg("strict", "*", "!https://git.example.com/team/*"), gpg("head", "https://git.example.com/*")), repo, &gitops.SignatureRule{Keys: []string{"A"}}, false},
		"Elsewhere": {"a repository that no policy names must not slip through", policies(gpg("head", "https://other.example.com/*")), repo, nil, true},
		"LeftOut":   {"one that a policy leaves out by name needs none", policies(gpg("head", "*", "!https://git.example.com/team/*")), repo, nil, false},
		"Case":      {"another spelling is the same repository", policies(gpg("head", "https://git.example.com/*")), at("https://Git.Example.com:443/Team/a.git/"), rule, false},
		"User":      {"who asks is not what is asked for", policies(gpg("head", "https://git.example.com/*")), at("https://me@git.example.com/team/a"), rule, false},
		"Scheme":    {"so is another way to it", policies(gpg("head", "https://git.example.com/*")), at("git@git.example.com:team/a"), rule, false},
		"OwnScheme": {"a policy for that way comes first", policies(gpg("head", "https://git.example.com/*"), gpg("none", "git@git.example.com:*")), at("git@git.example.com:team/a"), nil, false},
		"Broken":    {"what nobody can read may be meant for it", policies(gpg("none", "*"), gpg("head", "https://git.example.com/[team")), repo, nil, true},
		"BrokenOut": {"and may leave it out", policies(gpg("none", "*", "![")), repo, nil, true},
		"Encoded":   {"a capital that a server decodes", policies(gpg("none", "**"), gpg("head", "https://git.example.com/team/*")), at("https://git.example.com/%54eam/a"), nil, true},
		"Home":      {"paths of ssh begin in the home folder", policies(gpg("none", "**"), gpg("head", "git@git.example.com:team/*")), at("git@git.example.com:~/team/a"), nil, true},
		"OwnHome":   {"under its name as well", policies(gpg("none", "**"), gpg("head", "git@git.example.com:team/*")), at("ssh://git@git.example.com/~git/team/a"), nil, true},
		"GitOnly":   {"the newer field is about Git", policies(gpg("head", "*")), chart, nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := policy.Signatures(&v1alpha1.AppProject{Spec: tc.spec}, &tc.source)
			if (err != nil) != tc.refused {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
