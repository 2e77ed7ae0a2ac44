// Package past has an application with its history, for commands that look into it, and the words for a sync that several of them print.
package past
