//go:build !linux

package plugin

import "errors"

func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) {}
