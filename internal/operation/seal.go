package operation

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// automated is what Disown calls the claim that an operation began by itself.
const automated = "initiatedBy.automated"

// asked are the marks of the product's own that anybody may write into an
// operation: they ask for something, and claim nothing.
var asked = []string{gitops.InfoRollback, gitops.InfoIgnoreDependencies, gitops.InfoManifests, gitops.InfoIgnored}

// Seal tells what the engine has written into operations from what others
// have: whoever may write an Application may write its status as well. It is
// safe for concurrent use.
type Seal struct{ key []byte }

// NewSeal makes a seal of a secret of the installation's. Without one, what was
// sealed before a restart is nobody's word afterwards.
func NewSeal(secret []byte) *Seal {
	if len(secret) == 0 {
		secret = make([]byte, sha256.Size)
		_, _ = rand.Read(secret) // never fails
	}
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte("operations of Applications")) // a hash never fails
	return &Seal{mac.Sum(nil)}
}

// Stamp seals an operation as it stands: for an Application, and for the time
// at which it began; zero for one that is asked for.
func (s *Seal) Stamp(uid types.UID, started v1alpha1.Time, op *v1alpha1.Operation) {
	op.Info = without(op.Info, gitops.InfoSeal)
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoSeal, Value: s.of(uid, started, op)})
}

// Genuine reports whether an operation is as it was sealed.
func (s *Seal) Genuine(uid types.UID, started v1alpha1.Time, op *v1alpha1.Operation) bool {
	i := slices.IndexFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoSeal })
	if i < 0 {
		return false
	}
	bare := *op
	bare.Info = without(op.Info, gitops.InfoSeal)
	return hmac.Equal([]byte(op.Info[i].Value), []byte(s.of(uid, started, &bare)))
}

// SeeBegin notes that the engine saw an operation begin at a time, and a name without
// blanks of what it brings. It has to be sealed.
func SeeBegin(op *v1alpha1.Operation, with string, at time.Time) {
	ForgetBegin(op)
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoBegan, Value: with + " " + at.UTC().Format(time.RFC3339)})
}

// ForgetBegin takes back what SeeBegin noted.
func ForgetBegin(op *v1alpha1.Operation) { op.Info = without(op.Info, gitops.InfoBegan) }

// Began is the name of what the engine says that it saw an operation begin to bring, and
// when that was; zero where it does not say so. One that says so without a seal is
// disowned where operations are read.
func Began(op *v1alpha1.Operation) (with string, at time.Time) {
	i := slices.IndexFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoBegan })
	if i < 0 {
		return "", time.Time{}
	}
	with, text, _ := strings.Cut(op.Info[i].Value, " ")
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", time.Time{}
	}
	return with, at
}

// Vouch notes that whoever an operation names was known to the engine when it
// was asked for by a request, and seals that.
func (s *Seal) Vouch(uid types.UID, op *v1alpha1.Operation, request string) {
	op.Info = append(without(op.Info, gitops.InfoInitiatorKnown), v1alpha1.Info{Name: gitops.InfoInitiatorKnown, Value: "true"})
	s.Ask(uid, op, request)
}

// NewRequest names a request that is made now. What is asked for by it counts once.
func NewRequest(now time.Time) string { return now.UTC().Format(time.RFC3339Nano) + " " + rand.Text() }

// Ask seals what is asked for by a request.
func (s *Seal) Ask(uid types.UID, op *v1alpha1.Operation, request string) {
	op.Info = append(without(op.Info, gitops.InfoAsked), v1alpha1.Info{Name: gitops.InfoAsked, Value: request})
	s.Stamp(uid, v1alpha1.Time{}, op)
}

// Asked is which request an operation was asked for by, and when that was made; empty
// where it does not say so.
func Asked(op *v1alpha1.Operation) (request string, at time.Time) {
	i := slices.IndexFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoAsked })
	if i < 0 {
		return "", time.Time{}
	}
	text, _, _ := strings.Cut(op.Info[i].Value, " ")
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", time.Time{}
	}
	return op.Info[i].Value, at
}

// Claims reports whether an operation says what only the engine may say, such
// as that it began by itself: then it has to be sealed.
func Claims(op *v1alpha1.Operation) bool {
	return op.InitiatedBy.Automated || slices.ContainsFunc(op.Info, isClaim)
}

func claimsOrigin(op *v1alpha1.Operation) bool {
	return op.InitiatedBy.Username == v1alpha1.ApplicationSetInitiator
}

// Disown takes out of an operation what it claims, and notes that. It returns
// what it took.
func Disown(op *v1alpha1.Operation) []string {
	var took []string
	if op.InitiatedBy.Automated {
		took, op.InitiatedBy.Automated = append(took, automated), false
	}
	if claimsOrigin(op) {
		took, op.InitiatedBy.Username = append(took, "initiatedBy.username"), ""
	}
	for _, i := range op.Info {
		if isClaim(i) && !slices.Contains(took, i.Name) {
			took = append(took, i.Name)
		}
	}
	op.Info = slices.DeleteFunc(slices.Clone(op.Info), isClaim)
	if len(took) > 0 {
		op.Info = append(without(op.Info, gitops.InfoIgnored), v1alpha1.Info{Name: gitops.InfoIgnored, Value: strings.Join(took, ", ")})
	}
	return took
}

// Refuse is Disown for an operation that is asked for, and may have been before: the mark
// by which somebody knows a request again is the first one's.
func Refuse(op *v1alpha1.Operation) []string {
	request, _ := Asked(op)
	took := Disown(op)
	if request != "" {
		op.Info = without(op.Info, gitops.InfoRequest)
	}
	return took
}

// Bare takes out of an operation that nobody sealed what the engine has noted in it: it
// is noted anew at the next look.
func Bare(op *v1alpha1.Operation) { op.Info = slices.DeleteFunc(slices.Clone(op.Info), isClaim) }

// Doubt is Disown for an operation that was found under way. One that began by
// itself goes on as such, also where the engine has lost its secret since: that
// lets it do less than what a person asks for. Who began it is unverified then.
func Doubt(op *v1alpha1.Operation) []string {
	begunByItself := alone(op)
	took := Disown(op)
	op.InitiatedBy.Automated = begunByItself
	return took
}

func isClaim(i v1alpha1.Info) bool {
	return strings.HasPrefix(i.Name, gitops.OwnPrefix) && !slices.Contains(asked, i.Name)
}

func has(op *v1alpha1.Operation, name string) bool {
	return slices.ContainsFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == name })
}

func without(list []v1alpha1.Info, name string) []v1alpha1.Info {
	return slices.DeleteFunc(slices.Clone(list), func(i v1alpha1.Info) bool { return i.Name == name })
}

func (s *Seal) of(uid types.UID, started v1alpha1.Time, op *v1alpha1.Operation) string {
	mac := hmac.New(sha256.New, s.key)
	at := ""
	if !started.IsZero() {
		at = started.UTC().Format("2006-01-02T15:04:05Z")
	}
	_, _ = mac.Write([]byte(string(uid) + "\n" + at + "\n")) // a hash never fails
	_, _ = mac.Write(plain(op))
	return hex.EncodeToString(mac.Sum(nil))
}

// plain is an operation in the one form that it keeps on its way through an API
// server, which orders the keys of what is free in it.
func plain(op *v1alpha1.Operation) []byte {
	text, _ := json.Marshal(op) //nolint:errchkjson // it was read from JSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var free any
	_ = d.Decode(&free)          // it was written just now
	out, _ := json.Marshal(free) //nolint:errchkjson // it was read from JSON
	return out
}
