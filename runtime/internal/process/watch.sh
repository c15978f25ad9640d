# Waits for the end of the process at the other end of standard input, and then ends the
# commands that it had started: those with a tag of $1 and six digits, and the groups that it
# named.
trap '' HUP INT QUIT TERM
groups=
while read -r sign group; do
	case $sign in
	+) groups="$groups $group " ;;
	-) groups="${groups%%" $group "*}${groups#*" $group "}" ;;
	*) exit ;;
	esac
done
tag=$1
left() {
	[ -z "$tag" ] || for file in $(grep -lsE "^Max file locks( +[0-9]+)? +$tag[0-9]{6} " /proc/[0-9]*/limits); do
		folder=${file%/limits}
		grep -qs '^State:.[ZX]' "$folder/status" || echo "${folder#/proc/}"
	done
	for group in $groups; do
		kill -0 -- "-$group" 2>/dev/null && echo "-$group"
	done
}
signal() {
	for one in $(left); do
		kill -s "$1" -- "$one" 2>/dev/null
	done
}
# The last one may have started another one while this looks: it looks again.
none() {
	[ -z "$(left)" ] && [ -z "$(left)" ] && [ -z "$(left)" ]
}
signal TERM
for try in 0 1 2 3 4 5 6 7 8 9; do
	none && exit
	sleep 0.1
	signal TERM
done
# A stopped process starts no others.
for try in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	none && exit
	signal STOP
	signal KILL
	sleep 0.1
done
