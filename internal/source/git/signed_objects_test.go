package git

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	ofTree    = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
	ofParent  = "parent 1111111111111111111111111111111111111111\n"
	armored   = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n"
	unarmored = "-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
	written   = "author A <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\n"
)

// What was signed is a commit without its signatures, to the letter: with any other
// one of its headers it would be another text, and a signature of nobody.
func TestWhatOfACommitIsSigned(t *testing.T) {
	mergetag := "mergetag object 2222222222222222222222222222222222222222\n type commit\n tag v1\n tagger T <t@u> 3 +0000\n \n a tag\n -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n"
	for name, tc := range map[string]struct {
		reason, text, payload, signature, author string
		parents                                  int
	}{
		"None":     {"without a signature it is all of it", ofTree + written + "\nhello\n", ofTree + written + "\nhello\n", "", "A <a@b>", 0},
		"Signed":   {"its lines go on with a space, which is not theirs", ofTree + ofParent + written + armored + "\nhello\n", ofTree + ofParent + written + "\nhello\n", unarmored, "A <a@b>", 1},
		"Behind":   {"what stands behind the signature was signed", ofTree + written + armored + "encoding latin1\n\nhello", ofTree + written + "encoding latin1\n\nhello", unarmored, "A <a@b>", 0},
		"SHA256":   {"that of another hash function was not, nor is it the signature", ofTree + written + "gpgsig-sha256 other\n lines\n" + armored + "\nhello\n", ofTree + written + "\nhello\n", unarmored, "A <a@b>", 0},
		"Merge":    {"a tag that was merged was, with the signature inside of it", ofTree + ofParent + ofParent + written + mergetag + armored + "\nhello\n", ofTree + ofParent + ofParent + written + mergetag + "\nhello\n", unarmored, "A <a@b>", 2},
		"Message":  {"a message that looks like headers is a message", ofTree + written + "\n" + ofParent + armored, ofTree + written + "\n" + ofParent + armored, "", "A <a@b>", 0},
		"Authors":  {"of two authors the first counts, as where it is shown", ofTree + written + "author B <b@b> 1 +0000\n\nhello\n", ofTree + written + "author B <b@b> 1 +0000\n\nhello\n", "", "A <a@b>", 0},
		"Unended":  {"a commit may end anywhere", ofTree + "author A <a@b>", ofTree + "author A <a@b>", "", "A <a@b>", 0},
		"Nothing":  {"also at once", "", "", "", "", 0},
		"GoesOn":   {"a line that goes on with nothing is of the commit", " x\n" + ofTree + "\n", " x\n" + ofTree + "\n", "", "", 0},
		"Prefixed": {"a header that only begins so is another one", ofTree + "gpgsigs x\nparents y\n\n", ofTree + "gpgsigs x\nparents y\n\n", "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseSigned(strings.Repeat("a", 40), []byte(tc.text))
			if diff := cmp.Diff([]string{tc.payload, tc.signature, tc.author}, []string{string(got.Payload), string(got.Signature), got.Author}); diff != "" || len(got.parents) != tc.parents {
				t.Errorf("%s: %d parents (-want +got):\n%s", tc.reason, len(got.parents), diff)
			}
			if got.Name != "commit aaaaaaa" {
				t.Errorf("people are told of %q", got.Name)
			}
		})
	}
}

const aTag = "object 3333333333333333333333333333333333333333\ntype commit\ntag v1\ntagger T <t@u> 3 +0000\n\n"

// The signature of a tag stands at its end. A message may quote another one.
func TestWhatOfATagIsSigned(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, payload, signature, author string }{
		"None":   {"without one all of it", aTag + "hello\n", aTag + "hello\n", "", "T <t@u>"},
		"Signed": {"up to where the signature begins", aTag + "hello\n" + unarmored, aTag + "hello\n", unarmored, "T <t@u>"},
		"SSH":    {"of whatever kind it is", aTag + "hello\n-----BEGIN SSH SIGNATURE-----\nx\n", aTag + "hello\n", "-----BEGIN SSH SIGNATURE-----\nx\n", "T <t@u>"},
		"Quoted": {"of two it is the last one", aTag + unarmored + "was wrong\n" + unarmored, aTag + unarmored + "was wrong\n", unarmored, "T <t@u>"},
		"Inside": {"one that begins in a line is none", aTag + "see -----BEGIN PGP SIGNATURE-----\n", aTag + "see -----BEGIN PGP SIGNATURE-----\n", "", "T <t@u>"},
		"Cut":    {"it need not end", aTag + "hello\n-----BEGIN PGP", aTag + "hello\n", "-----BEGIN PGP", "T <t@u>"},
		"Nobody": {"a tag may say nobody's name", "object 3\ntype commit\ntag v1\n\nhello\n", "object 3\ntype commit\ntag v1\n\nhello\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseTag("v1", []byte(tc.text))
			if diff := cmp.Diff([]string{tc.payload, tc.signature, tc.author, "tag v1"}, []string{string(got.Payload), string(got.Signature), got.Author, got.Name}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A server decides which tag a name leads to, and not what was signed: an old version
// is not a new one, and a commit is no tag by the tag that it merges.
func TestTagsAreOfTheirOwnName(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, asked, text string
		taken               bool
	}{
		"Own":      {"a tag by its name", "v1", aTag, true},
		"Old":      {"another one that stands for it", "v2", aTag, false},
		"Order":    {"lines in another order are not those of Git", "v1", "type commit\nobject 3\ntag v1\n\n", false},
		"Before":   {"nor are some with another one between them", "v1", "object 3\nx y\ntype commit\ntag v1\n\n", false},
		"Commit":   {"a commit that merges a tag has its lines further down", "v1", ofTree + "mergetag " + strings.ReplaceAll(aTag, "\n", "\n "), false},
		"Message":  {"a message that says so is no header", "v1", "object 3\ntype commit\n\ntag v1\n", false},
		"Nothing":  {"nothing is of no name", "v1", "", false},
		"Prefix":   {"a longer name is another one", "v1", strings.Replace(aTag, "tag v1", "tag v10", 1), false},
		"NameLess": {"no name is not any", "v1", strings.Replace(aTag, "tag v1", "tag ", 1), false},
	} {
		err := called(tc.asked, []byte(tc.text))
		if (err == nil) != tc.taken || err != nil && (!gitops.IsProblem(err, gitops.Forbidden) || !strings.Contains(err.Error(), "make and sign the tag by its own name, `git tag -s -f "+tc.asked+" "+tc.asked+"^{}`")) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}
