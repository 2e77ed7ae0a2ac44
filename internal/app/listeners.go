package app

import "sync"

// listeners are told of something by its name. They are safe for concurrent use.
type listeners struct {
	mu  sync.RWMutex
	all []func(name string)
}

func (l *listeners) add(told func(name string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, told)
}

func (l *listeners) tell(name string) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, told := range l.all {
		told(name)
	}
}
