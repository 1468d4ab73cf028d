/* Names that begin as pc3's own do. */
#include <pc3.h>

struct pc3_frame {
    int pc3_member;
};
static int pc3_state = 4;
void pc3_checkpoint(void);

static int step(int pc3_x)
{
    struct pc3_frame f = {pc3_x};
    return f.pc3_member + pc3_state;
}

int main(void)
{
    int x = step(1);
    pc3_checkpoint();
    return x;
}
