package git

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ofHash is a commit that is told by a letter.
func ofHash(letter string) string { return strings.Repeat(letter, sha1Digits) }

// served are lines of a server: a letter for the commit, and the reference.
func served(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		letter, name, _ := strings.Cut(line, " ")
		b.WriteString(ofHash(letter) + "\t" + name + "\n")
	}
	return b.String()
}

// TestWhatANameStandsFor has names that several references could be meant by.
func TestWhatANameStandsFor(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, revision string
		lines            []string
		want, ref        string
	}{
		"Branch":      {"a branch comes before a tag", "v1", []string{"a refs/heads/v1", "b refs/tags/v1"}, "a", "refs/heads/v1"},
		"Listed":      {"in whatever order they are listed", "v1", []string{"b refs/tags/v1", "a refs/heads/v1"}, "a", "refs/heads/v1"},
		"Annotated":   {"an annotated tag is its commit", "v1", []string{"b refs/tags/v1", "c refs/tags/v1^{}"}, "c", "refs/tags/v1"},
		"Peeled":      {"also where that is listed first", "v1", []string{"c refs/tags/v1^{}", "b refs/tags/v1"}, "c", "refs/tags/v1"},
		"Range":       {"a range comes before a branch of its name", "1.x", []string{"a refs/heads/1.x", "b refs/tags/1.2.0"}, "b", "refs/tags/1.2.0"},
		"NoTag":       {"which is meant where no tag is within it", "1.x", []string{"a refs/heads/1.x", "b refs/tags/2.0.0"}, "a", "refs/heads/1.x"},
		"RangeTag":    {"the tag of a range is not the branch of the same name", "1.x", []string{"a refs/heads/1.2.0", "b refs/tags/1.2.0"}, "b", "refs/tags/1.2.0"},
		"RangePeeled": {"a range gives the commit of an annotated tag", "1.x", []string{"b refs/tags/1.2.0", "c refs/tags/1.2.0^{}"}, "c", "refs/tags/1.2.0"},
		"Version":     {"a version is a name", "1.2", []string{"a refs/tags/1.2.9", "b refs/tags/1.2"}, "b", "refs/tags/1.2"},
		"Whole":       {"a whole name is that one, whatever a branch is called", "refs/heads/main", []string{"b refs/heads/refs/heads/main", "a refs/heads/main"}, "a", "refs/heads/main"},
		"WholeTag":    {"nor a tag", "refs/tags/v1", []string{"b refs/tags/refs/tags/v1", "c refs/heads/refs/tags/v1", "a refs/tags/v1"}, "a", "refs/tags/v1"},
		"WholePull":   {"nor where it is neither", "refs/pull/1/head", []string{"b refs/heads/refs/pull/1/head", "a refs/pull/1/head"}, "a", "refs/pull/1/head"},
		"Odd":         {"a branch with such a name is one", "refs/x", []string{"b refs/heads/refs/x"}, "b", "refs/heads/refs/x"},
		"Short":       {"refs/ may be left out", "pull/1/head", []string{"a refs/pull/1/head"}, "a", "refs/pull/1/head"},
		"Own":         {"a branch comes before others then", "pull/1/head", []string{"a refs/pull/1/head", "b refs/heads/pull/1/head"}, "b", "refs/heads/pull/1/head"},
		"Remotes":     {"and refs/remotes/, too", "origin/main", []string{"a refs/remotes/origin/main"}, "a", "refs/remotes/origin/main"},
		"Slash":       {"a folder of names is no name", "feature", []string{"a refs/heads/feature/x"}, "", ""},
		"Case":        {"names differ by the case of a letter", "Main", []string{"a refs/heads/main"}, "", ""},
		"End":         {"the end of a name is none", "main", []string{"a refs/heads/x/main"}, "", ""},
		"Peel":        {"what a tag leads to has no name of its own", "v1^{}", []string{"b refs/tags/v1"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := listed(t, served(tc.lines...))
			if err != nil {
				t.Fatal(err)
			}
			v := &View{refs: r, gaps: &gaps{}, desk: unasked}
			of, err := v.find(t.Context(), tc.revision)
			want := named{ref: tc.ref}
			if tc.want != "" {
				want.hash = ofHash(tc.want)
			}
			if err != nil || of != want {
				t.Errorf("%s: got %v, %v", tc.reason, of, err)
			}
		})
	}
}

// TestWhatHEADStandsFor: a server may tell it by a hash, by a name, by both or not
// at all.
func TestWhatHEADStandsFor(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want, ref string }{
		"Hash":     {"servers tell it mostly by both", "ref: refs/heads/main\tHEAD\n" + served("a HEAD", "a refs/heads/main"), "a", "HEAD"},
		"Detached": {"no branch is checked out there", served("b HEAD", "a refs/heads/main"), "b", "HEAD"},
		"Name":     {"without a hash it is the branch", "ref: refs/heads/main\tHEAD\n" + served("a refs/heads/main"), "a", "refs/heads/main"},
		"Later":    {"which may be listed first", served("a refs/heads/main") + "ref: refs/heads/main\tHEAD\n", "a", "refs/heads/main"},
		"Unborn":   {"a branch without a commit", "ref: refs/heads/main\tHEAD\n" + served("a refs/heads/dev"), "", ""},
		"Tag":      {"HEAD names branches alone", "ref: refs/tags/v1\tHEAD\n" + served("a refs/tags/v1"), "", ""},
		"Untold":   {"it is not guessed", served("a refs/heads/main", "a refs/heads/master"), "", ""},
		"Like":     {"a branch with that name is another one", served("a refs/heads/HEAD"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := listed(t, tc.text)
			if err != nil {
				t.Fatal(err)
			}
			for _, revision := range []string{"", "HEAD"} {
				of, err := (search{refs: r}).find(t.Context(), revision)
				want := named{ref: tc.ref}
				if tc.want != "" {
					want.hash = ofHash(tc.want)
				}
				if of.hash == "" {
					of.ref = "" // a name without a commit stands for nothing
				}
				if err != nil || of != want {
					t.Errorf("%s: %q is %v, %v", tc.reason, revision, of, err)
				}
			}
		})
	}
}

// TestWhatIsSuggested: whoever mistyped a revision reads what there is.
func TestWhatIsSuggested(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, revision, lines string
		what, fix               string
	}{
		"Empty":    {"nothing was pushed yet", "main", "", "the repository is empty", "push a first commit"},
		"Pulls":    {"nor with pull requests alone", "main", served("a refs/pull/1/head"), "the repository is empty", "push a first commit"},
		"NoHEAD":   {"HEAD leads nowhere", "", served("a refs/heads/dev", "a refs/heads/mein"), "HEAD names no branch that exists", "one of: mein, dev"},
		"Name":     {"what is most alike comes first", "mian", served("a refs/heads/dev", "a refs/heads/main"), `"mian" is no branch, tag or commit`, "one of: main, dev"},
		"Range":    {"a range is over tags, the newest first", ">=3", served("a refs/heads/main", "a refs/tags/1.0.0", "a refs/tags/2.0.0", "b refs/tags/2.0.0^{}"), `no tag is within ">=3"`, "a range that allows one of: 2.0.0, 1.0.0"},
		"NoTags":   {"of which there may be none", "1.x", served("a refs/heads/main"), "the repository has no tags", "one of: main"},
		"ManyTags": {"five are enough", "9.x", served("a refs/tags/1.0.0", "a refs/tags/1.1.0", "a refs/tags/1.2.0", "a refs/tags/1.3.0", "a refs/tags/1.4.0", "a refs/tags/1.5.0"), "no tag", "one of: 1.5.0, 1.4.0, 1.3.0, 1.2.0, 1.1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := listed(t, tc.lines)
			if err != nil {
				t.Fatal(err)
			}
			v := &View{refs: r, gaps: &gaps{}, desk: unasked}
			err = v.missing(t.Context(), tc.revision)
			if !gitops.IsProblem(err, gitops.NotFound) || !strings.Contains(err.Error(), tc.what) || !strings.HasSuffix(err.Error(), tc.fix) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestTipsThatBeginAlike: half a commit means the one tip that begins so.
func TestTipsThatBeginAlike(t *testing.T) {
	long := func(last string) string { return strings.Repeat("a", sha1Digits-1) + last }
	one, other := long("1"), long("2")
	for name, tc := range map[string]struct{ reason, text, prefix, want string }{
		"One":     {"a branch", one + "\trefs/heads/main\n", one[:7], one},
		"Twice":   {"several branches lead to one commit", one + "\trefs/heads/main\n" + one + "\trefs/heads/dev\n", one[:7], one},
		"Two":     {"two commits begin so", one + "\trefs/heads/main\n" + other + "\trefs/tags/v1\n", one[:7], ""},
		"Between": {"and one of them is met again", one + "\trefs/heads/main\n" + other + "\trefs/tags/v1\n" + one + "\trefs/tags/v2\n", one[:7], ""},
		"Digits":  {"more digits tell them apart", one + "\trefs/heads/main\n" + other + "\trefs/tags/v1\n", one[:39] + "2", other},
		"Others":  {"strangers name others", one + "\trefs/pull/1/head\n", one[:7], ""},
		"HEAD":    {"HEAD has no name that counts", one + "\tHEAD\n", one[:7], ""},
		"Brief":   {"six digits are too few", one + "\trefs/heads/main\n", one[:6], ""},
		"Word":    {"a word is none", one + "\trefs/heads/main\n", "feature", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := listed(t, tc.text)
			if err != nil {
				t.Fatal(err)
			}
			v := &View{refs: r, gaps: &gaps{}, desk: unasked}
			if got, err := v.abbreviated(t.Context(), tc.prefix); err != nil || got != tc.want {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
}

// TestNamesOfCommits tells commits from names, by which pinned revisions are told
// from those that move.
func TestNamesOfCommits(t *testing.T) {
	for revision, want := range map[string]bool{
		ofHash("a"): true, strings.ToUpper(ofHash("a")): true, strings.Repeat("b", 64): true,
		"abcdef1": true, "ABCDEF1": true, ofHash("a") + "a": true, strings.Repeat("1", 63): true,
		"": false, "abcdef": false, "abcdefg": false, "main": false, "refs/heads/abcdef1": false, strings.Repeat("b", 65): false, "abcdef1^{}": false, "ábcdef1": false,
	} {
		if got := IsCommit(revision); got != want {
			t.Errorf("%q is a commit: %t", revision, got)
		}
	}
	for hash, want := range map[string]bool{ofHash("f"): true, strings.Repeat("0", 64): true, ofHash("F"): false, ofHash("g"): false, ofHash("a")[1:]: false, "": false} {
		if got := IsHash(hash); got != want {
			t.Errorf("%q is a whole name: %t", hash, got)
		}
	}
}

// TestNamesBeforeCommits: a branch may be called like half a commit, and then it is
// what moves.
func TestNamesBeforeCommits(t *testing.T) {
	r, err := listed(t, served("a refs/heads/bbbbbbb", "b refs/heads/main"))
	if err != nil {
		t.Fatal(err)
	}
	v := &View{refs: r, gaps: &gaps{}, desk: unasked}
	hash, ref, err := v.resolve(t.Context(), "bbbbbbb")
	if err != nil || hash != ofHash("a") || ref != "refs/heads/bbbbbbb" {
		t.Errorf("got %s by %s, %v", hash, ref, err)
	}
	for revision, want := range map[string]bool{"bbbbbbb": true, "main": true, "bbbbbbbb": true, "ccccccc": false, "dev": false, ofHash("b"): true, ofHash("c"): false} {
		if got, err := v.Named(t.Context(), revision); err != nil || got != want {
			t.Errorf("%q is named: %t, %v", revision, got, err)
		}
	}
}
