package serve

import (
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// settingLife of argocd-cm is how long sessions last: Argo CD's form (12h, 7d),
// or that of Go (1h30m).
const settingLife = v1alpha1.SettingSession

// leastLife is the least that a session lasts: nobody can sign in for less.
const leastLife = time.Minute

// sessionLife is what argocd-cm says of it.
type sessionLife struct {
	settings func() map[string]string
	log      *slog.Logger

	mu   sync.Mutex
	text string
	life time.Duration
}

// now is how long sessions last now. What cannot be used is told to the log once.
func (l *sessionLife) now() time.Duration {
	text := l.settings()[settingLife]
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life != 0 && text == l.text {
		return l.life
	}
	l.text, l.life = text, session.Life
	if text == "" {
		return l.life
	}
	switch life, ok := parseLife(text); {
	case !ok || life < leastLife:
		l.log.Warn("sessions last as long as without the setting: it is no duration of a minute or more, such as 12h or 7d", "configmap", "argocd-cm", "key", settingLife, "lasts", l.life)
	case life > session.MaxLife:
		l.life = session.MaxLife
		l.log.Warn("sessions last as long as they can, which is less than the setting says", "configmap", "argocd-cm", "key", settingLife, "lasts", l.life)
	default:
		l.life = life
	}
	return l.life
}

var inDays = regexp.MustCompile(`^([0-9]{1,4})d$`)

func parseLife(text string) (time.Duration, bool) {
	if found := inDays.FindStringSubmatch(text); found != nil {
		days, err := strconv.Atoi(found[1])
		return time.Duration(days) * 24 * time.Hour, err == nil
	}
	life, err := gitops.ParseDuration(settingLife, text)
	return life, err == nil
}
