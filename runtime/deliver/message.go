package deliver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/generic"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
)

// The library shoutrrr provides the form of messages for each service, and their
// addresses. wfc sends the requests itself: the library's know neither contexts nor
// Retry-After, reach only the vendors' services, may hang for ever, show tokens in their
// errors, and split messages within a character.

// Where the services of bots are.
const (
	slackBase    = "https://slack.com/api"
	discordBase  = "https://discord.com/api/v10"
	telegramBase = "https://api.telegram.org"
)

// Limits of one message, in characters of UTF-16. Slack takes more but shows less of it;
// escaped characters count in their escaped form.
const (
	slackLimit    = 4000
	discordLimit  = 2000
	telegramLimit = 4096
)

// expandParts makes a plain address, or a token and a receiver, of one that is written
// as the library writes them.
func (a *address) expandParts() error {
	if a.url == "" {
		return nil
	}
	u, err := url.Parse(a.url)
	if err != nil {
		return err
	}
	if a.server = u; a.kind == target.KindMail {
		if u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
			return fmt.Errorf("not the address of a mail server")
		}
		return nil
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return fmt.Errorf("no host")
		}
		return nil
	case a.kind:
	case "generic", "generic+https", "generic+http":
		if a.kind != "webhook" {
			return fmt.Errorf("not of this kind")
		}
	default:
		return fmt.Errorf("an unknown scheme")
	}
	return a.fromLibrary(u)
}

// fromLibrary reads an address that the library wrote.
func (a *address) fromLibrary(u *url.URL) error {
	a.url = ""
	switch a.kind {
	case "slack":
		var c slack.Config
		if err := c.SetURL(u); err != nil {
			return err
		}
		if !c.Token.IsAPIToken() {
			a.url = c.Token.WebhookURL()
			return nil
		}
		a.token = strings.TrimPrefix(c.Token.Authorization(), "Bearer ")
		a.setDefaultReceiver(c.Channel)
	case "discord":
		var c discord.Config
		if err := c.SetURL(u); err != nil {
			return err
		}
		a.url = discord.CreateAPIURLFromConfig(&c)
	case "telegram":
		var c telegram.Config
		if err := c.SetURL(u); err != nil {
			return err
		}
		if len(c.Chats) == 0 {
			return fmt.Errorf("no chat")
		}
		a.token = c.Token
		a.setDefaultReceiver(c.Chats[0])
	default:
		if inner, ok := strings.CutPrefix(u.Scheme, "generic+"); ok {
			u.Scheme = inner
			a.url = u.String()
			return nil
		}
		c, _ := generic.DefaultConfig()
		if err := c.SetURL(u); err != nil {
			return err
		}
		a.url = c.WebhookURL().String()
	}
	return nil
}

// setDefaultReceiver takes a receiver unless the target names one.
func (a *address) setDefaultReceiver(receiver string) {
	a.receiver = cmp.Or(a.receiver, receiver)
}

// A request is one message on its way.
type request struct {
	// send sends the message unless it is an HTTP request; the other fields are then unused.
	send func(ctx context.Context) *outbox.RefusedError

	url    string
	header http.Header
	body   []byte
	// judge reads the answer to a request: it returns the fault, or "" if the message has
	// arrived.
	judge func(status int, body []byte) string
	// mask removes secrets from messages about the request.
	mask *strings.Replacer
}

// subjectOf is the title of a note.
func subjectOf(n *outbox.Note) string {
	text := cmp.Or(n.Title, "Result of "+n.Workflow)
	if n.Title == "" && n.Step != "" {
		text += ": " + n.Step
	}
	return plain.Line(text)
}

// chatText is a note as people are to read it.
func chatText(n *outbox.Note) string {
	if n.Title != "" {
		return strings.TrimSpace(plain.Line(n.Title) + "\n\n" + plain.Text(n.Text))
	}
	text := cmp.Or(strings.TrimSpace(plain.Text(n.Text)), "(no output)")
	if n.Step != "" {
		return fmt.Sprintf("[%s/%s] %s", plain.Line(n.Workflow), plain.Line(n.Step), text)
	}
	return text
}

// buildRequests returns the messages that a note becomes, in order.
func (p *performer) buildRequests(a *address, n outbox.Note, environ []string) ([]request, error) {
	switch a.kind {
	case target.KindMail:
		return []request{{send: func(ctx context.Context) *outbox.RefusedError { return a.mailNote(ctx, p.mail, &n) }}}, nil
	case target.KindCommand:
		return []request{{send: func(ctx context.Context) *outbox.RefusedError { return a.runCommand(ctx, &n, environ) }}}, nil
	}
	return a.webRequests(n)
}

// webRequests returns the requests that a note becomes, in order.
func (a *address) webRequests(n outbox.Note) ([]request, error) {
	form, limit, weigh := a.toWebhook, 0, utf16Length
	switch a.kind {
	case "slack":
		form, limit, weigh = a.toSlack, slackLimit, slackLength
	case "discord":
		form, limit, weigh = a.toDiscord, discordLimit-1, discordLength // the first line may begin with a mark
	case "telegram":
		form, limit, weigh = a.toTelegram, telegramLimit, telegramLength
	}
	texts := []string{n.Text} // a program can read a long one
	if limit > 0 {
		texts = splitMessages(chatText(&n), limit, weigh)
	}
	if n.Event != "" && len(texts) > 1 {
		// A notice is one message, so that none of it arrives twice when it is sent again.
		const note = "\n… (%d characters in all)"
		whole := chatText(&n)
		texts = []string{splitMessages(whole, limit-len(note)-12, weigh)[0] + fmt.Sprintf(note, utf8.RuneCountInString(whole))}
	}
	mask := a.secretMask()
	list := make([]request, len(texts))
	for i, text := range texts {
		n.Text = text
		r, document := form(n)
		var err error
		if r.body, err = json.Marshal(document); err != nil {
			return nil, fmt.Errorf("the message cannot be written as JSON: %w", err)
		}
		r.mask = mask
		list[i] = r
	}
	return list, nil
}

func (a *address) toSlack(n outbox.Note) (request, any) {
	// An agent's text must not hide where a link leads, mention people or format itself.
	document := struct {
		slack.MessagePayload
		Markup bool `json:"mrkdwn"`
		Blocks any  `json:"blocks,omitempty"`
	}{MessagePayload: slack.MessagePayload{Text: slackEscape(n.Text), Channel: a.receiver}}
	if len(n.Buttons) > 0 {
		document.Blocks = slackBlocks(&n)
	}
	if a.url != "" {
		return request{url: a.url, judge: plainAnswer}, document
	}
	return request{url: cmp.Or(a.base, slackBase) + "/chat.postMessage", header: authorizationHeader("Bearer", a.token), judge: slackAnswer}, document
}

func (a *address) toDiscord(n outbox.Note) (request, any) {
	document := struct {
		discord.WebhookPayload
		Mentions map[string][]string `json:"allowed_mentions"`
	}{discord.WebhookPayload{Content: discordEscape(n.Text)}, map[string][]string{"parse": {}}}
	if a.url != "" {
		return request{url: a.url, judge: plainAnswer}, document
	}
	to := cmp.Or(a.base, discordBase) + "/channels/" + url.PathEscape(a.receiver) + "/messages"
	return request{url: to, header: authorizationHeader("Bot", a.token), judge: plainAnswer}, document
}

func (a *address) toTelegram(n outbox.Note) (request, any) {
	document := telegram.SendMessagePayload{Text: telegramEscape(n.Text), ID: a.receiver, DisablePreview: true}
	to := a.url
	if to == "" {
		to = cmp.Or(a.base, telegramBase) + "/bot" + a.token + "/sendMessage"
	}
	return request{url: to, judge: telegramAnswer}, document
}

func (a *address) toWebhook(n outbox.Note) (request, any) {
	header := http.Header{"Idempotency-Key": {n.ID}}
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	return request{url: a.url, header: header, judge: plainAnswer}, n
}

// slackEscape takes from a text what Slack would not show as it is.
func slackEscape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// slackLength is the length of a character as it is sent to Slack.
func slackLength(r rune) int {
	switch r {
	case '&':
		return len("&amp;")
	case '<', '>':
		return len("&lt;")
	}
	return utf16Length(r)
}

// bareURL matches addresses that Discord shows as they are, as far as they have no character
// that could end them there. startMark matches what formats a line if it begins one.
var (
	bareURL   = regexp.MustCompile(`https?://[\w.~:/?#@!$&+,;=%-]+`)
	startMark = regexp.MustCompile(`(?m)^([ \t]*(?:\d+)?)([#>+.)-])`)
)

// marks are the characters that format text on Discord, anywhere in it.
const marks = "\\*_~|`[]<"

// discordEscape takes from a text what Discord would not show as it is.
func discordEscape(text string) string {
	var b strings.Builder
	escape := func(text string) {
		for _, r := range text {
			if strings.ContainsRune(marks, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	for {
		at := bareURL.FindStringIndex(text)
		if at == nil {
			escape(text)
			return startMark.ReplaceAllString(b.String(), `$1\$2`)
		}
		escape(text[:at[0]])
		b.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
}

// discordLength is the greatest length of a character as it is sent to Discord. A line break counts
// with the backslash before a mark behind it.
func discordLength(r rune) int {
	if r == '\n' || strings.ContainsRune(marks, r) {
		return 2
	}
	return utf16Length(r)
}

// mention matches what Telegram takes for the name of a person or a group.
var mention = regexp.MustCompile(`(^|[^\w.])@(\w)`)

// telegramEscape takes the mentions from a text: an invisible character, at which nothing can
// be divided, parts the @ from the name.
func telegramEscape(text string) string { return mention.ReplaceAllString(text, "$1@\u2060$2") }

// telegramLength is the greatest length of a character as it is sent to Telegram.
func telegramLength(r rune) int {
	if r == '@' {
		return 2
	}
	return utf16Length(r)
}

func authorizationHeader(word, token string) http.Header {
	return http.Header{"Authorization": {word + " " + token}}
}

// plainAnswer reads the answer of a service that says it all by its status.
func plainAnswer(status int, body []byte) string {
	if status >= 200 && status < 300 {
		return ""
	}
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) == nil && said.Message != "" {
		return said.Message
	}
	return string(body)
}

// slackAnswer reads the answer of Slack's API, whose failures have status 200.
func slackAnswer(status int, body []byte) string {
	var said slack.APIResponse
	if status == http.StatusOK && json.Unmarshal(body, &said) == nil {
		if said.Ok {
			return ""
		}
		return cmp.Or(said.Error, "it gives no reason")
	}
	return cmp.Or(plainAnswer(status, body), "it does not answer like Slack")
}

// telegramAnswer reads the answer of Telegram's API.
func telegramAnswer(status int, body []byte) string {
	var said struct {
		OK          bool   `json:"ok"`
		Description string `json:"description"`
	}
	if json.Unmarshal(body, &said) != nil {
		return cmp.Or(plainAnswer(status, body), "it does not answer like Telegram")
	}
	if said.OK {
		return ""
	}
	return cmp.Or(said.Description, "it gives no reason")
}

// most is how many messages one text becomes at most.
const most = 10

// splitMessages divides a string into messages of at most limit units; weigh returns the
// units of a character. It divides at line ends, else at spaces, else between two
// characters. It drops the rest after the maximum of messages; the last message
// says so.
func splitMessages(text string, limit int, weigh func(rune) int) []string {
	const note = "\n… (%d more characters)"
	room := limit - len(note) - 12
	var list []string
	for text != "" {
		end := fittingBytes(text, limit, weigh)
		if end == len(text) {
			return append(list, text)
		}
		if len(list) == most-1 {
			end = breakBefore(text, fittingBytes(text, room, weigh))
			return append(list, text[:end]+fmt.Sprintf(note, utf8.RuneCountInString(text[end:])))
		}
		end = breakBefore(text, end)
		list = append(list, strings.TrimRight(text[:end], " \n"))
		text = strings.TrimLeft(text[end:], "\n")
	}
	return list
}

// fittingBytes returns how many bytes of a text, in whole characters, have at most
// limit units; one character at least.
func fittingBytes(text string, limit int, weigh func(rune) int) int {
	units := 0
	for i, r := range text {
		if units += weigh(r); units > limit && i > 0 {
			return i
		}
	}
	return len(text)
}

// breakBefore moves an end back to a line's or word's end, unless that is far away.
func breakBefore(text string, end int) int {
	for _, at := range []int{strings.LastIndexByte(text[:end], '\n'), strings.LastIndexByte(text[:end], ' ')} {
		if at > end/2 {
			return at + 1
		}
	}
	return end
}

// utf16Length is the length of a character in UTF-16, as chat services count.
func utf16Length(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
