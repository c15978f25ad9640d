package human

import "os"

// ShowAlone shows a text at the console, wherever standard output and standard
// error go, so that it is in no file. The error is ErrNoScreen when this process
// has none.
func ShowAlone(text string) error {
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return ErrNoScreen
	}
	defer console.Close()
	_, err = console.WriteString(text)
	return err
}
